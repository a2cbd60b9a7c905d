import { senderOf } from '../../shared/mail/mailer.ts';
import type { MailKeyDeps } from '../../shared/newsletter/mail-key.ts';
import type { WorkerSettings } from '../settings.ts';
import { attemptMs, type MailingDeps } from './connections.ts';
import { createMailKeys } from './keys.ts';
import { createRelay } from './relay.ts';

type Settings = Pick<
  WorkerSettings,
  'SMTP_URL' | 'SMTP_CONNECTIONS' | 'MAIL_LIMITS' | 'MAIL_BOUNCE_DOMAIN' | 'PUBLIC_URL'
>;

/** By what mailings are sent; null without a mail server. Nothing is connected to before there is something to send. */
export function openMailings(
  {
    SMTP_URL: url,
    SMTP_CONNECTIONS: connections,
    MAIL_LIMITS: limits = [],
    MAIL_BOUNCE_DOMAIN: bounceDomain,
    PUBLIC_URL: publicUrl,
  }: Settings,
  deps: MailKeyDeps,
): MailingDeps['mailings'] {
  if (!url) return null;
  const name = publicUrl.hostname;
  return {
    relays: Array.from({ length: connections }, () => createRelay({ url, name, timeoutMs: attemptMs })),
    limits,
    longestAwayMs: 600_000,
    from: senderOf(publicUrl),
    bounceDomain: bounceDomain ?? null,
    publicUrl,
    keyOf: createMailKeys(deps),
  };
}
