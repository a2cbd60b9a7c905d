import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { listParameter } from '../list-parameter.ts';
import { tableOf } from '../names-of.ts';
import { numberedPage, pageQuery } from '../pagination.ts';
import { RecordId, RecordIdFilter } from '../record-id.ts';
import { DateTime, timestamp } from '../timestamps.ts';
import { MailingAudience, mailedPost } from './mailing-audience.ts';

/** Limits of newsletters. */
export const newsletter = {
  /** Maximum length of a subject or preheader, in UTF-16 units. */
  maxSubjectLength: 200,
  /** Maximum size of the HTML, in bytes. Mail programs cut off longer emails. */
  maxBodyBytes: 100_000,
  /** Time to confirm a subscription, in days. */
  confirmDays: 7,
  /**
   * Rule that ends a subscription: the receiving server delayed this many mailings in a row. Delays more than
   * `maxGapDays` days apart do not count as a row.
   */
  delays: { max: 4, maxGapDays: 14 },
  /** Maximum number of reports per call. */
  reportsPerCall: 1_000,
  /** Maximum number of addresses of a test email. `limits.ts` limits the number of test emails. */
  maxTestRecipients: 5,
  /** Maximum number of groups in the count of an audience. The largest groups are returned. */
  maxGroups: 100,
} as const;

/** Reason why a mailing is paused. When it is resumed and its emails are not stored yet, they are prepared first. */
export const PauseReason = z.enum([
  'by_owner',
  'post_not_public',
  'body_not_laid_out',
  'relay_away',
  'too_many_refused',
  'refused_by_policy',
]);

export type PauseReason = z.infer<typeof PauseReason>;

const line = (description: string, example: string) =>
  documented(boundedText(newsletter.maxSubjectLength), description, example);

const subject = line('Subject', 'Why types pay');
const preheader = line(
  'Preview text that mail programs show next to the subject',
  'A contract saves you more than it costs.',
);

/** Fields that determine the content of an email. */
export const mailed = {
  post_id: mailedPost,
  subject: subject.describe('Subject of the email; the title of the post if omitted').nullable().optional(),
  preheader: preheader
    .describe(
      `${preheader.meta()?.description}; if omitted, the excerpt of the post, or the beginning of its text`,
    )
    .nullable()
    .optional(),
};

const mailingStatuses = ['scheduled', 'preparing', 'sending', 'paused', 'sent', 'cancelled'] as const;

export type MailingStatus = (typeof mailingStatuses)[number];

/** Delivery states of a recipient. */
export const recipientStates = [
  'queued',
  'sending',
  'retrying',
  'unknown',
  'accepted',
  'refused',
  'skipped',
  'bounced',
  'complained',
] as const;

export type RecipientState = (typeof recipientStates)[number];

const onUnknown = documented(
  z.enum(['repeat', 'leave']),
  'Handling of emails for which it is unknown whether the mail server accepted them: `repeat` sends them once more, `leave` never sends an email twice',
  'repeat',
);

export const CreateMailing = z.strictObject({
  ...mailed,
  audience: MailingAudience.default({}),
  send_at: DateTime.describe('Scheduled send time; immediately if omitted').nullable().optional(),
  on_unknown: onUnknown.default('repeat'),
  again: documented(z.boolean().default(false), 'True to send the post even if it was mailed before', true),
});

const count = z.int().min(0);

/** Mailing, with the numbers of its recipients by state. */
export const Mailing = titled('Mailing', {
  id: RecordId,
  post_id: mailedPost,
  // A title may be longer than a subject that an owner writes.
  subject: documented(z.string(), 'Subject', 'Why types pay'),
  preheader,
  audience: MailingAudience,
  on_unknown: onUnknown,
  status: documented(z.enum(mailingStatuses), 'Status of the mailing', 'sending'),
  pause_reason: documented(
    PauseReason.nullable(),
    'Reason why it is paused, or why the service cancelled it; otherwise null',
    null,
  ),
  send_at: timestamp('Scheduled send time'),
  frozen_at: timestamp(
    'Time at which the email content was fixed: later edits of the post do not change it; null until then',
  ).nullable(),
  ended_at: timestamp('Time at which it was sent completely or cancelled; null until then').nullable(),
  recipients: documented(count, 'Number of recipients; 0 until the mailing is prepared', 1_280),
  expected: documented(count, 'Expected number of recipients when the mailing was created', 1_283),
  counts: z
    .strictObject(
      tableOf<Record<RecipientState, typeof count>>(
        recipientStates.map((state) => [
          state,
          documented(count, `Number of recipients with state \`${state}\``, 0),
        ]),
      ),
    )
    .describe('Number of recipients by state'),
  created,
  updated,
});

export const ListMailings = z.object({
  ...pageQuery,
  post_id: RecordIdFilter.describe('Only mailings of this post').optional(),
  status: listParameter(
    z.enum(mailingStatuses),
    'sent',
    'Only mailings with one of these statuses',
  ).optional(),
});

export const MailingPage = numberedPage(Mailing);

export const ListRecipients = z.object({
  id: RecordId,
  ...pageQuery,
  state: documented(z.enum(recipientStates), 'Only recipients with this state', 'refused').optional(),
});

/** Recipient of a mailing, with the delivery state. */
export const MailingRecipient = titled('MailingRecipient', {
  id: RecordId,
  subscriber_id: RecordId.describe('ID of the subscriber'),
  email: documented(z.string(), 'Email address of the recipient', 'grace@example.com'),
  state: documented(z.enum(recipientStates), 'Delivery state', 'accepted'),
  body: documented(
    z.enum(['open', 'closed']).nullable(),
    'Content of the email: `open` is the full post, `closed` the excerpt and a link; null until it is sent',
    'open',
  ),
  attempts: documented(count, 'Number of send attempts', 1),
  unconfirmed: documented(
    count,
    'Number of attempts for which it is unknown whether the mail server accepted the email',
    0,
  ),
  reply_code: documented(
    z.int().nullable(),
    'Last reply code of the mail server (SMTP); null if it did not reply',
    250,
  ),
  reply_status: documented(
    z.string().nullable(),
    'Last enhanced status code of the mail server (RFC 3463); null if there was none',
    '2.0.0',
  ),
  due_at: timestamp('Time of the next attempt or state change; null if none is planned').nullable(),
  ended_at: timestamp('Time at which the state became final; null until then').nullable(),
});

export const MailingRecipientPage = numberedPage(MailingRecipient);

export const RetriedMailing = titled('RetriedMailing', {
  retried: documented(count, 'Number of emails that are sent again', 3),
});

export const ListReceived = z.strictObject({
  subscriber_id: RecordId.describe('ID of the subscriber'),
  ...pageQuery,
});

const { state, body, attempts, unconfirmed, reply_code, reply_status, due_at, ended_at } =
  MailingRecipient.shape;

/** Recipient of a mailing in the list of emails that one subscriber received. */
const ReceivedMailing = titled('ReceivedCopy', {
  id: RecordId,
  mailing_id: RecordId.describe('ID of the mailing'),
  subject: documented(z.string(), 'Subject of the email', 'Why types pay'),
  ...{ state, body, attempts, unconfirmed, reply_code, reply_status, due_at, ended_at },
});

export const ReceivedPage = numberedPage(ReceivedMailing);

/**
 * Missing conditions for the delivery of newsletters, the most serious first: `mail_server` (nothing is
 * sent), `mail_kept` (mail is stored on this machine), `signature` (mail is not signed), `bounce_domain`
 * (bounces are not processed), `postal_address`.
 */
export const DeliveryGap = z.enum([
  'mail_server',
  'mail_kept',
  'signature',
  'bounce_domain',
  'postal_address',
]);

export type DeliveryGap = z.infer<typeof DeliveryGap>;

/** Delivery conditions of a site's newsletters, as far as its settings show them. */
export const MailDelivery = z.strictObject({
  missing: documented(
    z.array(DeliveryGap),
    'Missing requirements for newsletter delivery, most serious first',
    ['signature'],
  ),
});
