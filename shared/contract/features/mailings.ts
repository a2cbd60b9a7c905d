import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { listParameter } from '../list-parameter.ts';
import { DateTime, moment } from '../moments.ts';
import { tableOf } from '../names-of.ts';
import { numberedPage, pageQuery } from '../pagination.ts';
import { RecordId, RecordIdFilter } from '../record-id.ts';
import { MailingAudience, mailedPost } from './mailing-audience.ts';

/** Bounds of what is mailed to the readers of a site. */
export const newsletter = {
  /** Of subjects, and of what stands beside them in lists of mail, in UTF-16 units. */
  longestSubject: 200,
  /** Of the HTML: programs that show mail cut off what is longer. */
  longestBodyBytes: 100_000,
  /** For how many days somebody who was asked can confirm that they want it. */
  confirmDays: 7,
  /** So many mailings in a row that a mailbox puts off, none of them so long after the one before, end a subscription. */
  delays: { most: 4, longestGapDays: 14 },
  /** Of one call that reports what came back. */
  reportsPerCall: 1_000,
  /** Addresses that one test goes to. How many tests there may be: `guess-limits.ts`. */
  mostTested: 5,
  /** Sources and tiers by which an audience is counted, those with the most readers. */
  mostGroups: 100,
} as const;

/** Why a mailing does not go on. One that has no bodies yet is prepared when it goes on, whatever it was before. */
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
  documented(boundedText(newsletter.longestSubject), description, example);

const subject = line('Subject', 'Why types pay');
const preheader = line(
  'What stands beside the subject in lists of mail',
  'A contract saves you more than it costs.',
);

/** What a mail is made of. */
export const mailed = {
  post_id: mailedPost,
  subject: subject.describe('Subject; the title of the post when left out').nullable().optional(),
  preheader: preheader
    .describe(`${preheader.meta()?.description}; the excerpt of the post when left out, else how it begins`)
    .nullable()
    .optional(),
};

const mailingStatuses = ['scheduled', 'preparing', 'sending', 'paused', 'sent', 'cancelled'] as const;

export type MailingStatus = (typeof mailingStatuses)[number];

/** What is known of one copy. */
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
  'What happens to a copy of which nobody knows whether the mail server took it: it is sent once more, or nobody ever gets two',
  'repeat',
);

export const CreateMailing = z.strictObject({
  ...mailed,
  audience: MailingAudience.default({}),
  send_at: DateTime.describe('When it is sent; at once when left out').nullable().optional(),
  on_unknown: onUnknown.default('repeat'),
  again: documented(z.boolean().default(false), 'Whether it is sent though the post was mailed before', true),
});

const count = z.int().min(0);

/** A post that is mailed, and what became of its copies. */
export const Mailing = titled('Mailing', {
  id: RecordId,
  post_id: mailedPost,
  // A title may be longer than a subject that is given.
  subject: documented(z.string(), 'Subject', 'Why types pay'),
  preheader,
  audience: MailingAudience,
  on_unknown: onUnknown,
  status: documented(z.enum(mailingStatuses), 'How far it is', 'sending'),
  pause_reason: documented(
    PauseReason.nullable(),
    'Why it is paused, or was cancelled by the service; else null',
    null,
  ),
  send_at: moment('When it is to begin'),
  frozen_at: moment('Since when edits of the post change only its page; null until then').nullable(),
  ended_at: moment('When it was sent or cancelled; null until then').nullable(),
  recipients: documented(count, 'How many copies there are; 0 until they are prepared', 1_280),
  expected: documented(count, 'How many there were to be when it was made', 1_283),
  counts: z
    .strictObject(
      tableOf<Record<RecipientState, typeof count>>(
        recipientStates.map((state) => [state, documented(count, `Copies: ${state}`, 0)]),
      ),
    )
    .describe('Copies by what is known of them'),
  created,
  updated,
});

export const ListMailings = z.object({
  ...pageQuery,
  post_id: RecordIdFilter.describe('Only those of this post').optional(),
  status: listParameter(z.enum(mailingStatuses), 'sent', 'Only mailings that stand so').optional(),
});

export const MailingPage = numberedPage(Mailing);

export const ListRecipients = z.object({
  id: RecordId,
  ...pageQuery,
  state: documented(z.enum(recipientStates), 'Only copies of which this is known', 'refused').optional(),
});

/** One copy, and what is known of it. */
export const MailingRecipient = titled('MailingRecipient', {
  id: RecordId,
  subscriber_id: RecordId.describe('Whose it is'),
  email: documented(z.string(), 'Where it goes', 'grace@example.com'),
  state: documented(z.enum(recipientStates), 'What is known of it', 'accepted'),
  body: documented(
    z.enum(['open', 'closed']).nullable(),
    'Whether it has the post or excerpt and link; null until its turn',
    'open',
  ),
  attempts: documented(count, 'How often it was sent', 1),
  unconfirmed: documented(
    count,
    'Attempts after which it is unknown whether the mail server accepted the email',
    0,
  ),
  reply_code: documented(
    z.int().nullable(),
    'Code of what the mail server said last; null where it said nothing',
    250,
  ),
  reply_status: documented(z.string().nullable(), 'The finer one (RFC 3463)', '2.0.0'),
  due_at: moment('When something happens to it next; null when nothing does').nullable(),
  ended_at: moment('When it was settled; null until then').nullable(),
});

export const MailingRecipientPage = numberedPage(MailingRecipient);

export const RetriedMailing = titled('RetriedMailing', {
  retried: documented(count, 'Copies that are sent again', 3),
});
