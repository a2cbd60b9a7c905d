import { randomBytes } from 'node:crypto';
import { systemClock } from '../contract/timestamps.ts';
import { besideMedia } from '../media/open-store.ts';
import { type DkimSettings, dkimIn } from '../runtime/settings/mail-variables.ts';
import type { MailRoute } from './mailer.ts';
import { createOutbox, type Outbox } from './outbox.ts';

/**
 * Returns the mail route that the settings define: the mail server, if set. Otherwise it is the outbox, or undefined
 * in production.
 */
export function openMailRoute({
  SMTP_URL: url,
  NODE_ENV,
  MEDIA_URL,
  ...dkim
}: DkimSettings & {
  SMTP_URL?: string | undefined;
  NODE_ENV: string;
  MEDIA_URL?: string | undefined;
}): MailRoute {
  if (url) return { url, dkim: dkimIn(dkim) };
  return NODE_ENV === 'production' ? undefined : openOutbox(MEDIA_URL);
}

/**
 * Opens the outbox of an installation: a folder of emails that are stored instead of sent. It is beside the media directory; for
 * a bucket or undefined `mediaUrl`, beside the default one.
 */
export const openOutbox = (mediaUrl: string | undefined): Outbox =>
  createOutbox(besideMedia('outbox', mediaUrl), { clock: systemClock, randomBytes });
