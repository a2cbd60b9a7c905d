import { z } from 'zod';
import { boundedText } from './fields.ts';
import { Email } from './member.ts';
import { DateTime } from './moments.ts';
import { RecordId } from './record-id.ts';

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
} as const;

/** Whom a mail is shown as: to strangers, to anybody signed in, to who bought the post, or to members. */
const readers = ['anonymous', 'registered', 'paid', 'members'] as const;

export type MailReader = (typeof readers)[number];

const postId = RecordId.meta({ description: 'Post to mail', examples: ['mb3k9x2a7f0q1zd'] });

const readAs = (names: readonly [MailReader, ...MailReader[]]) =>
  z.enum(names).default('anonymous').meta({ description: 'Whom it is made for' });

/** Of an owner. */
export const PreviewMailing = z.strictObject({ post_id: postId, as: readAs(readers) });

/** Of a key, which reads no more than anybody. */
export const PreviewOpenMailing = z.strictObject({ post_id: postId, as: readAs(['anonymous']) });

/** What an owner should know before a mail is sent; what each means: docs/contract.md#mailings. */
export const MailWarning = z.enum(['not_public', 'body_too_large', 'body_not_laid_out', 'no_excerpt']);

export type MailWarning = z.infer<typeof MailWarning>;

/** A post as its readers get it by mail. */
export const MailingPreview = z.strictObject({
  subject: z.string().meta({ description: 'Subject', examples: ['Why types pay'] }),
  html: z.string().meta({ description: 'As HTML' }),
  text: z.string().meta({ description: 'As plain text' }),
  bytes: z.int().meta({ description: 'Of the HTML', examples: [8_412] }),
  warnings: z.array(MailWarning).meta({ description: 'Warnings', examples: [['no_excerpt']] }),
});

export type MailingStatus = 'scheduled' | 'preparing' | 'sending' | 'paused' | 'sent' | 'cancelled';

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

/** Whom of the subscribers a mailing goes to; all when nothing is said. */
export interface MailingAudience {
  access_tiers?: string[];
  sources?: string[];
}

/** Why an address is never written to again. */
export const suppressionReasons = ['unsubscribed', 'bounced', 'complained'] as const;

export type SuppressionReason = (typeof suppressionReasons)[number];

const reported = boundedText(1_000);

/** What came of a copy, as a provider tells it: by the copy's id or `Message-ID`, or by its reader's address. */
const MailReport = z
  .strictObject({
    recipient: reported.meta({ description: 'Id of the copy', examples: ['mb3k9x2a7f0q1zd'] }).optional(),
    message_id: reported.meta({ description: 'Its `Message-ID`, in angle brackets or not' }).optional(),
    email: Email.meta({ description: 'Whom it went to: then it is the last copy they got' }).optional(),
    type: z.enum(['bounce', 'complaint']).meta({ description: 'What happened', examples: ['bounce'] }),
    permanent: z
      .boolean()
      .meta({ description: 'Whether a bounce without `status` is for good, which it is when left out' })
      .optional(),
    status: z
      .string()
      .regex(/^[245]\.\d{1,3}\.\d{1,3}$/, { error: 'must be a status of RFC 3463' })
      .meta({ description: 'What the server said, by RFC 3463', examples: ['5.1.1'] })
      .optional(),
    at: DateTime.meta({ description: 'When; now when left out' }).optional(),
  })
  .refine(({ recipient, message_id, email }) => [recipient, message_id, email].filter(Boolean).length === 1, {
    error: 'must name one of recipient, message_id and email',
  });

export const MailReports = z.strictObject({
  items: z
    .array(MailReport)
    .min(1)
    .max(newsletter.reportsPerCall)
    .meta({
      description: 'What happened',
      examples: [[{ recipient: 'mb3k9x2a7f0q1zd', type: 'bounce', status: '5.1.1' }]],
    }),
});

/** What became of what was reported. */
export const MailReportsTaken = z.strictObject({
  known: z.int().meta({ description: 'Of copies or readers of the site', examples: [1] }),
  unknown: z.int().meta({ description: 'Of none: they change nothing', examples: [0] }),
});
