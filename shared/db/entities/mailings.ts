import { p } from '@mikro-orm/core';
import type { SuppressionReason } from '../../contract/features/mail-reports.ts';
import type { MailingAudience } from '../../contract/features/mailing-audience.ts';
import type { MailingStatus, PauseReason, RecipientState } from '../../contract/features/mailings.ts';
import { bookkeeping, sitePrimaryKey, table, timestampColumn } from '../columns.ts';

/** Mailing of a post. From `frozen_at` on, later edits of the post no longer change its bodies. */
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
  send_at: timestampColumn(),
  frozen_at: timestampColumn().nullable(),
  /**
   * ID of the last subscriber, in the order of IDs, who was added to the recipients or skipped; empty before the first,
   * null until its bodies are fixed.
   */
  prepared_through: p.text().nullable(),
  /** Time at which the list of recipients was complete; null before. */
  prepared_at: timestampColumn().nullable(),
  ended_at: timestampColumn().nullable(),
  open_html: p.text().nullable(),
  open_text: p.text().nullable(),
  closed_html: p.text().nullable(),
  closed_text: p.text().nullable(),
  recipients: p.integer(),
  /** Number of recipients that was expected when the mailing was created. */
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
  /** Number of refusals in a row for policy reasons (5.7.x, 5.1.7, 5.1.8). They concern the mailing, not its readers. */
  refused_by_policy: p.integer(),
  /** Number of refusals when the owner last resumed the mailing. These do not pause it again. */
  refused_before: p.integer(),
  ...bookkeeping,
});

/** Recipient of a mailing, with the state of their email. */
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
    /**
     * Unconfirmed attempts; `unconfirmed` on the wire. The column keeps its name while old workers may run.
     */
    doubts: p.integer(),
    due_at: timestampColumn().nullable(),
    lease_until: timestampColumn().nullable(),
    reply_code: p.integer().nullable(),
    reply_status: p.text().nullable(),
    ended_at: timestampColumn().nullable(),
  },
  { name: 'mailing_recipients_id_key', properties: ['site_id', 'id'] },
);

/** Key that signs the links and return addresses in a site's emails, encrypted. */
const MailKey = table('mail_keys', { site_id: p.text().primary(), key_sealed: p.text() });

/**
 * Address that receives no newsletters, as a hash with the site's mail key. The row remains after the subscriber is
 * deleted.
 */
export const Suppression = table('suppressions', {
  site_id: p.text().primary(),
  email_hash: p.text().primary(),
  reason: p.text().$type<SuppressionReason>(),
  created: timestampColumn(),
});

/** Numbers of recently sent emails, for the sending limits of all sites. */
const MailCount = table('mail_counts', { unit: p.text().primary(), parts: p.json<Record<string, number>>() });

export const mailingEntities = [MailingEntity, MailingRecipient, MailKey, Suppression, MailCount];
