import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { moment } from '../moments.ts';
import { numberedPage, pageQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';

/** Of the mails that are kept, those that a site sends in its own name: its owners read them. */
export const OwnMailKind = documented(
  z.enum(['newsletter', 'confirmation']),
  'What it is: a newsletter, or the question whether somebody wants it',
  'newsletter',
);

export type OwnMailKind = z.infer<typeof OwnMailKind>;

/** A mail that is kept where no mail server sends it. */
const KeptMail = titled('KeptMail', {
  id: RecordId,
  kind: OwnMailKind,
  to: documented(z.string(), 'Whom it is for', 'grace@example.com'),
  subject: documented(z.string(), 'Subject', 'Why types pay'),
  created: moment('Since when it is kept'),
});

export const ListOutbox = z.strictObject(pageQuery);

export const OutboxPage = numberedPage(KeptMail).extend({
  enabled: documented(z.boolean(), 'Whether mail is kept rather than sent', true),
});

/** The same with what stands in it. */
export const ReadMail = KeptMail.extend({
  from: documented(z.string(), 'Who sends it', 'Ada Marsh <no-reply@example.com>'),
  html: z.string().nullable().describe('As HTML; null where it is plain text alone'),
  text: z.string().describe('As plain text'),
});
