import { p } from '@mikro-orm/core';
import type { SuppressionReason } from '../../contract/features/mail-reports.ts';
import type { MailingAudience } from '../../contract/features/mailing-audience.ts';
import type { MailingStatus, PauseReason, RecipientState } from '../../contract/features/mailings.ts';
import { bookkeeping, moment, sitePrimaryKey, table } from '../columns.ts';

/** A post that is mailed: frozen, with both bodies, once it has begun. */
export const MailingEntity = table('mailings', {
  ...sitePrimaryKey,
  post_id: p.text(),
  revision: p.integer().nullable(),
  subject: p.text(),
  preheader: p.text(),
  audience: p.json<MailingAudience>(),
  on_unknown: p.text().$type<'repeat' | 'leave'>(),
  status: p.text().$type<MailingStatus>(),
  pause_reason: p.text().$type<PauseReason>().nullable(),
  send_at: moment(),
  frozen_at: moment().nullable(),
  /** The last subscriber, in the order of ids, who is among the recipients or was passed over. */
  prepared_through: p.text().nullable(),
  /** Since when all recipients are written down. */
  prepared_at: moment().nullable(),
  ended_at: moment().nullable(),
  open_html: p.text().nullable(),
  open_text: p.text().nullable(),
  closed_html: p.text().nullable(),
  closed_text: p.text().nullable(),
  recipients: p.integer(),
  /** How many there were to be when it was made. */
  expected: p.integer(),
  queued: p.integer(),
  sending: p.integer(),
  retrying: p.integer(),
  unknown: p.integer(),
  accepted: p.integer(),
  refused: p.integer(),
  skipped: p.integer(),
  bounced: p.integer(),
  complained: p.integer(),
  /** Refusals in a row that are held against the mailing (5.7.x), not against its readers. */
  refused_by_policy: p.integer(),
  /** Refusals that its owner knew of when they last let it go on: they stop it no more. */
  refused_before: p.integer(),
  ...bookkeeping,
});

/** One copy of a mailing, and what is known of it. */
const MailingRecipient = table(
  'mailing_recipients',
  {
    site_id: p.text().primary(),
    mailing_id: p.text().primary(),
    subscriber_id: p.text().primary(),
    id: p.text(),
    email: p.text(),
    body: p.text().$type<'open' | 'closed'>().nullable(),
    state: p.text().$type<RecipientState>(),
    attempts: p.integer(),
    /** Unconfirmed attempts; `unconfirmed` on the wire. The column keeps its name while old workers may run. */
    doubts: p.integer(),
    due_at: moment().nullable(),
    lease_until: moment().nullable(),
    reply_code: p.integer().nullable(),
    reply_status: p.text().nullable(),
    ended_at: moment().nullable(),
  },
  { name: 'mailing_recipients_id_key', properties: ['site_id', 'id'] },
);

/** What the addresses in a site's mails are signed with, sealed. */
const MailKey = table('mail_keys', { site_id: p.text().primary(), key_sealed: p.text() });

/** An address that is never written to again, as a hash under the site's mail key: it outlives the subscriber. */
export const Suppression = table('suppressions', {
  site_id: p.text().primary(),
  email_hash: p.text().primary(),
  reason: p.text().$type<SuppressionReason>(),
  created: moment(),
});

/** How many copies were sent lately, of all sites. */
const MailCount = table('mail_counts', { unit: p.text().primary(), parts: p.json<Record<string, number>>() });

export const mailingEntities = [MailingEntity, MailingRecipient, MailKey, Suppression, MailCount];
