import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { numberedPage, pageQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { timestamp } from '../timestamps.ts';

/** Kinds of stored emails that a site sends in its own name. Its owners can read these. */
export const OwnMailKind = documented(
  z.enum(['newsletter', 'confirmation', 'sale']),
  'Kind of email: a newsletter, a request to confirm a subscription, or an email to a buyer',
  'newsletter',
);

export type OwnMailKind = z.infer<typeof OwnMailKind>;

/** Email that was stored instead of sent, because no mail server is configured. */
const KeptMail = titled('KeptMail', {
  id: RecordId,
  kind: OwnMailKind,
  to: documented(z.string(), 'Recipient address', 'grace@example.com'),
  subject: documented(z.string(), 'Subject', 'Why types pay'),
  created: timestamp('Time at which the email was stored'),
});

export const ListOutbox = z.strictObject(pageQuery);

export const OutboxPage = numberedPage(KeptMail).extend({
  enabled: documented(z.boolean(), 'True if emails are stored instead of sent', true),
});

/** Stored email with its content. */
export const ReadMail = KeptMail.extend({
  from: documented(z.string(), 'Sender', 'Ada Marsh <no-reply@example.com>'),
  html: z.string().nullable().describe('Email as HTML; null if it is plain text only'),
  text: z.string().describe('Email as plain text'),
});
