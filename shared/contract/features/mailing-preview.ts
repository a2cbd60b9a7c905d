import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { Email } from '../fields.ts';
import { mailed, newsletter } from './mailings.ts';

/** Whom a mail is shown as: to strangers, to anybody signed in, to who bought the post, or to members. */
const readers = ['anonymous', 'registered', 'paid', 'members'] as const;

export type MailReader = (typeof readers)[number];

const readAs = (names: readonly [MailReader, ...MailReader[]]) =>
  z
    .enum(names)
    .default('anonymous')
    .describe(
      'Reader to render the email for: a visitor, a signed-in member, a buyer of the post, or a member of the tier `members`',
    );

/** Of an owner. */
export const PreviewMailing = z.strictObject({ ...mailed, as: readAs(readers) });

/** Of a key, which reads no more than anybody. */
export const PreviewOpenMailing = z.strictObject({ ...mailed, as: readAs(['anonymous']) });

const to = documented(
  z.array(Email).min(1).max(newsletter.mostTested),
  'Addresses that receive one test email each',
  ['ada@example.com'],
);

export const TestMailing = PreviewMailing.extend({ to });

/** Of a key. */
export const TestOpenMailing = PreviewOpenMailing.extend({ to });

/** What the mail server said of each mail. */
export const TestedMailing = titled('TestedMailing', {
  results: z
    .array(
      z.strictObject({
        to: documented(z.string(), 'Recipient address', 'ada@example.com'),
        accepted: documented(z.boolean(), 'True if the mail server accepted the email', true),
        reply: documented(
          z.string().nullable(),
          'Reply of the mail server if it refused the email; null if it accepted it or did not reply',
          null,
        ),
      }),
    )
    .describe('Result for each address'),
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
    'Preview text that mail programs show next to the subject',
    'A contract saves you more than it costs.',
  ),
  html: z.string().describe('Email as HTML'),
  text: z.string().describe('Email as plain text'),
  bytes: documented(z.int(), 'Size of the HTML in bytes', 8_412),
  warnings: documented(z.array(MailWarning), 'Warnings about the email', ['no_excerpt']),
});
