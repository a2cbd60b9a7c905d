import { z } from 'zod';
import { documented } from '../documented.ts';
import { boundedText, Email } from '../fields.ts';
import { DateTime } from '../moments.ts';
import { newsletter } from './mailings.ts';

const reported = boundedText(1_000);

/** What came of a copy, as a provider tells it: by the copy's id or `Message-ID`, or by its reader's address. */
const MailReport = z
  .strictObject({
    recipient: documented(reported, 'Id of the copy', 'mb3k9x2a7f0q1zd').optional(),
    message_id: reported.describe('Its `Message-ID`, in angle brackets or not').optional(),
    email: Email.describe('Whom it went to: then it is the last copy they got').optional(),
    type: documented(z.enum(['bounce', 'complaint']), 'What happened', 'bounce'),
    permanent: z
      .boolean()
      .describe('Whether a bounce without `status` is for good, which it is when left out')
      .optional(),
    status: documented(
      z.string().regex(/^[245]\.\d{1,3}\.\d{1,3}$/, { error: 'must be a status of RFC 3463' }),
      'What the server said, by RFC 3463',
      '5.1.1',
    ).optional(),
    at: DateTime.describe('When; now when left out').optional(),
  })
  .refine(({ recipient, message_id, email }) => [recipient, message_id, email].filter(Boolean).length === 1, {
    error: 'must name one of recipient, message_id and email',
  });

export const MailReports = z.strictObject({
  items: documented(z.array(MailReport).min(1).max(newsletter.reportsPerCall), 'What happened', [
    { recipient: 'mb3k9x2a7f0q1zd', type: 'bounce', status: '5.1.1' },
  ]),
});

/** What became of what was reported. */
export const MailReportsTaken = z.strictObject({
  known: documented(z.int(), 'Of copies or readers of the site', 1),
  unknown: documented(z.int(), 'Of none: they change nothing', 0),
});

/** Why an address is never written to again. */
export const suppressionReasons = ['unsubscribed', 'bounced', 'complained'] as const;

export type SuppressionReason = (typeof suppressionReasons)[number];
