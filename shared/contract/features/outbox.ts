import { z } from 'zod';
import { moment } from '../moments.ts';
import { numberedPage, pageQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { titled } from '../titled.ts';

/** Of the mails that are kept, those that a site sends in its own name: its owners read them. */
export const OwnMailKind = z.enum(['newsletter', 'confirmation']).meta({
  description: 'What it is: a newsletter, or the question whether somebody wants it',
  examples: ['newsletter'],
});

export type OwnMailKind = z.infer<typeof OwnMailKind>;

/** A mail that is kept where no mail server sends it. */
const KeptMail = titled('KeptMail', {
  id: RecordId,
  kind: OwnMailKind,
  to: z.string().meta({ description: 'Whom it is for', examples: ['grace@example.com'] }),
  subject: z.string().meta({ description: 'Subject', examples: ['Why types pay'] }),
  created: moment('Since when it is kept'),
});

export const ListOutbox = z.strictObject(pageQuery);

export const OutboxPage = numberedPage(KeptMail).extend({
  enabled: z.boolean().meta({ description: 'Whether mail is kept rather than sent', examples: [true] }),
});

export const OneKeptMail = z.strictObject({ id: RecordId });

/** The same with what stands in it. */
export const ReadMail = KeptMail.extend({
  from: z.string().meta({ description: 'Who sends it', examples: ['Ada Marsh <no-reply@example.com>'] }),
  html: z.string().nullable().describe('As HTML; null where it is plain text alone'),
  text: z.string().describe('As plain text'),
});
