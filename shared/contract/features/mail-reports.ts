import { z } from 'zod';
import { documented } from '../documented.ts';
import { boundedText, Email } from '../fields.ts';
import { DateTime } from '../timestamps.ts';
import { newsletter } from './mailings.ts';

const reported = boundedText(1_000);

/** Report of a mail provider about an email, identified by the recipient's ID, the `Message-ID`, or the address. */
const MailReport = z
  .strictObject({
    recipient: documented(reported, 'ID of the mailing recipient', 'mb3k9x2a7f0q1zd').optional(),
    message_id: reported.describe('`Message-ID` of the email, with or without angle brackets').optional(),
    email: Email.describe(
      'Address of the recipient; the report applies to the last email sent to it',
    ).optional(),
    type: documented(z.enum(['bounce', 'complaint']), 'Type of report', 'bounce'),
    permanent: z
      .boolean()
      .describe('True if a bounce without `status` is permanent; true if omitted')
      .optional(),
    status: documented(
      z
        .string()
        .regex(/^[245]\.\d{1,3}\.\d{1,3}$/, { error: 'must be a status code such as 5.1.1 (RFC 3463)' }),
      'Enhanced status code of the mail server (RFC 3463)',
      '5.1.1',
    ).optional(),
    at: DateTime.describe('Time of the bounce or complaint; the current time if omitted').optional(),
  })
  .refine(({ recipient, message_id, email }) => [recipient, message_id, email].filter(Boolean).length === 1, {
    error: 'must contain exactly one of recipient, message_id and email',
  });

export const MailReports = z.strictObject({
  items: documented(z.array(MailReport).min(1).max(newsletter.reportsPerCall), 'Bounces and complaints', [
    { recipient: 'mb3k9x2a7f0q1zd', type: 'bounce', status: '5.1.1' },
  ]),
});

export const MailReportsTaken = z.strictObject({
  known: documented(z.int(), 'Number of reports that match an email or subscriber of the site', 1),
  unknown: documented(z.int(), 'Number of reports that match nothing; they are ignored', 0),
});

/** Reasons why an address is suppressed: it receives no newsletters. A complaint is permanent. */
export const suppressionReasons = ['unsubscribed', 'bounced', 'complained'] as const;

export type SuppressionReason = (typeof suppressionReasons)[number];
