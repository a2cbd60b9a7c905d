import { z } from 'zod';
import { Email } from '../fields.ts';
import { titled } from '../titled.ts';
import { mailed, newsletter } from './mailings.ts';

/** Whom a mail is shown as: to strangers, to anybody signed in, to who bought the post, or to members. */
const readers = ['anonymous', 'registered', 'paid', 'members'] as const;

export type MailReader = (typeof readers)[number];

const readAs = (names: readonly [MailReader, ...MailReader[]]) =>
  z.enum(names).default('anonymous').describe('Whom it is made for');

/** Of an owner. */
export const PreviewMailing = z.strictObject({ ...mailed, as: readAs(readers) });

/** Of a key, which reads no more than anybody. */
export const PreviewOpenMailing = z.strictObject({ ...mailed, as: readAs(['anonymous']) });

const to = z
  .array(Email)
  .min(1)
  .max(newsletter.mostTested)
  .meta({ description: 'Who gets it, a mail each', examples: [['ada@example.com']] });

export const TestMailing = PreviewMailing.extend({ to });

/** Of a key. */
export const TestOpenMailing = PreviewOpenMailing.extend({ to });

/** What the mail server said of each mail. */
export const TestedMailing = titled('TestedMailing', {
  results: z
    .array(
      z.strictObject({
        to: z.string().meta({ description: 'Who it was for', examples: ['ada@example.com'] }),
        accepted: z.boolean().meta({ description: 'Whether the mail server took it', examples: [true] }),
        reply: z
          .string()
          .nullable()
          .meta({
            description: 'What it said when it did not; null where it said nothing',
            examples: [null],
          }),
      }),
    )
    .describe('What became of each mail'),
});

/** What an owner should know before a mail is sent; what each means: docs/contract.md#mailings. */
export const MailWarning = z.enum([
  'not_public',
  'body_too_large',
  'body_not_laid_out',
  'no_excerpt',
  'no_postal_address',
]);

export type MailWarning = z.infer<typeof MailWarning>;

/** A post as its readers get it by mail. */
export const MailingPreview = z.strictObject({
  subject: z.string().meta({ description: 'Subject', examples: ['Why types pay'] }),
  html: z.string().describe('As HTML'),
  text: z.string().describe('As plain text'),
  bytes: z.int().meta({ description: 'Of the HTML', examples: [8_412] }),
  warnings: z.array(MailWarning).meta({ description: 'Warnings', examples: [['no_excerpt']] }),
});
