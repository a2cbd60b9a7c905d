import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { Email } from '../fields.ts';
import { mailed, newsletter } from './mailings.ts';

/**
 * Readers that an email can be rendered for: a visitor, any signed-in member, a buyer of the post, or a member of the
 * tier `members`.
 */
const readers = ['anonymous', 'registered', 'paid', 'members'] as const;

export type MailReader = (typeof readers)[number];

const readAs = (names: readonly [MailReader, ...MailReader[]]) =>
  z
    .enum(names)
    .default('anonymous')
    .describe(
      'Reader to render the email for: a visitor, a signed-in member, a buyer of the post, or a member of the tier `members`',
    );

/** Input of an owner's preview. */
export const PreviewMailing = z.strictObject({ ...mailed, as: readAs(readers) });

/** Input of a preview with an API key, which reads only what visitors read. */
export const PreviewOpenMailing = z.strictObject({ ...mailed, as: readAs(['anonymous']) });

const to = documented(
  z.array(Email).min(1).max(newsletter.maxTestRecipients),
  'Addresses that receive one test email each',
  ['ada@example.com'],
);

export const TestMailing = PreviewMailing.extend({ to });

/** Input of a test email with an API key. */
export const TestOpenMailing = PreviewOpenMailing.extend({ to });

/** Result of a test: the mail server's reply to each email. */
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

/** Warnings for the owner before a mailing is sent. docs/reference/mailings.md explains each. */
export const MailWarning = z.enum([
  'not_public',
  'body_too_large',
  'body_not_laid_out',
  'no_excerpt',
  'no_postal_address',
]);

export type MailWarning = z.infer<typeof MailWarning>;

/** Post as an email, as its readers receive it. */
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
