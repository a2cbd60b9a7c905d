import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { keptInOutbox, type MailRoute, senderOf } from '../../shared/mail/mailer.ts';
import type { Outbox } from '../../shared/mail/outbox.ts';
import { getMailKey, type MailKeyDeps } from '../../shared/newsletter/mail-key.ts';
import { countsTestSales } from '../../shared/selling/test-sales.ts';
import type { WorkerSettings } from '../settings.ts';
import { attemptMs, type MailingDeps } from './connections.ts';
import { createRelay, type Relay, withoutReply } from './relay.ts';

type Settings = Pick<
  WorkerSettings,
  'SMTP_CONNECTIONS' | 'MAIL_LIMITS' | 'MAIL_BOUNCE_DOMAIN' | 'PUBLIC_URL' | 'NODE_ENV'
>;

/**
 * Opens the mail route for mailings; null if mail is disabled. Connections open when there is an email to send.
 * Unfinished mailings are found by `settle-recipients.ts`.
 */
export function openMailings(
  {
    SMTP_CONNECTIONS: connections,
    MAIL_LIMITS: limits = [],
    MAIL_BOUNCE_DOMAIN: bounceDomain,
    PUBLIC_URL: publicUrl,
    NODE_ENV,
  }: Settings,
  { route, logger, ...deps }: MailKeyDeps & { route: MailRoute; logger: Logger },
): MailingDeps['mailings'] {
  if (!route) return null;
  const name = publicUrl.hostname;
  return {
    relays: Array.from({ length: connections }, () =>
      'url' in route
        ? createRelay({ url: route.url, name, timeoutMs: attemptMs })
        : keepCopies(route, logger),
    ),
    limits,
    maxOutageMs: 600_000,
    countsTest: countsTestSales({ NODE_ENV, PUBLIC_URL: publicUrl }),
    from: senderOf(publicUrl),
    dkim: 'url' in route ? route.dkim : null,
    bounceDomain: bounceDomain ?? null,
    publicUrl,
    keyOf: createMailKeys(deps),
  };
}

/** Stores emails in the outbox instead of sending them. */
const keepCopies = (outbox: Outbox, logger: Logger): Relay => ({
  async send({ to, siteId }, message) {
    try {
      const file = await outbox.keep({ kind: 'newsletter', siteId }, Buffer.concat(message));
      logger.info({ file, mail: { to } }, keptInOutbox);
      return withoutReply('accepted');
    } catch (err) {
      logger.error({ err }, 'storing a newsletter email in the outbox failed; retrying later');
      return withoutReply('away');
    }
  },
  close() {},
});

/**
 * Cache of mail keys. Few sites send at the same time. An import can replace a site's key, which takes effect after
 * `ttl` milliseconds.
 */
const held = { max: 100, ttl: 60_000 } as const;

/**
 * Returns a function that gets the mail key of a site, with a cache for sites that sent recently. `limits` is the maximum
 * number of cached keys, and their time in the cache, in milliseconds. It rejects with `SealedSecretError` if the key was
 * encrypted with another `SECRET_KEY`.
 */
export function createMailKeys(deps: MailKeyDeps, limits: { max: number; ttl: number } = held) {
  const keys = new LRUCache<string, string>({
    ...limits,
    fetchMethod: (siteId) => getMailKey(deps, siteId),
    // A key that is evicted while it is fetched is still returned to the callers that wait for it.
    ignoreFetchAbort: true,
  });
  return (siteId: string): Promise<string> => keys.forceFetch(siteId);
}
