import { randomBytes } from 'node:crypto';
import { systemClock } from '../contract/moments.ts';
import { besideMedia } from '../media/open-store.ts';
import { type DkimSettings, dkimIn } from '../runtime/settings/mail-variables.ts';
import type { MailRoute } from './mailer.ts';
import { createOutbox, type Outbox } from './outbox.ts';

/** Where messages go as the settings of a process say: without a mail server into the outbox, but in production nowhere. */
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

/** The outbox of an installation: beside its media. */
export const openOutbox = (mediaUrl: string | undefined): Outbox =>
  createOutbox(besideMedia('outbox', mediaUrl), { clock: systemClock, randomBytes });
