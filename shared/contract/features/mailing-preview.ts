import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { Email } from '../fields.ts';
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

const to = documented(z.array(Email).min(1).max(newsletter.mostTested), 'Who gets it, a mail each', [
  'ada@example.com',
]);

export const TestMailing = PreviewMailing.extend({ to });

/** Of a key. */
export const TestOpenMailing = PreviewOpenMailing.extend({ to });

/** What the mail server said of each mail. */
export const TestedMailing = titled('TestedMailing', {
  results: z
    .array(
      z.strictObject({
        to: documented(z.string(), 'Who it was for', 'ada@example.com'),
        accepted: documented(z.boolean(), 'Whether the mail server took it', true),
        reply: documented(
          z.string().nullable(),
          'What it said when it did not; null where it said nothing',
          null,
        ),
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
  subject: documented(z.string(), 'Subject', 'Why types pay'),
  preheader: documented(
    z.string(),
    'What stands beside the subject in lists of mail',
    'A contract saves you more than it costs.',
  ),
  html: z.string().describe('As HTML'),
  text: z.string().describe('As plain text'),
  bytes: documented(z.int(), 'Of the HTML', 8_412),
  warnings: documented(z.array(MailWarning), 'Warnings', ['no_excerpt']),
});
