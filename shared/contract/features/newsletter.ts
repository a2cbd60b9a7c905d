import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { boundedText, EmailOrEmpty } from '../fields.ts';

const confirm = documented(
  z.boolean().nullable(),
  'True if new subscribers must confirm by email; null for true if a mail server is configured',
  null,
);
const from_name = documented(
  boundedText(100),
  'Sender name of newsletters; empty for the name of the site',
  'Ada Marsh',
);
const reply_to = documented(
  EmailOrEmpty,
  'Reply address of newsletters; empty for the sender address',
  'ada@example.com',
);
const postal_address = documented(
  boundedText(500),
  'Postal address of the sender, shown at the end of each newsletter; required by law in many countries',
  '1 Long Lane\nLondon EC1A 9HF',
);

/** Settings of a site's newsletters. */
export const NewsletterSettings = titled('NewsletterSettings', {
  confirm,
  from_name,
  reply_to,
  postal_address,
}).describe('Newsletter settings');

export type NewsletterSettings = z.infer<typeof NewsletterSettings>;

const unsettable = (text: z.ZodType<string, string>) =>
  text
    .nullable()
    .transform((value) => value ?? '')
    .optional();

/** Change of a site's newsletter settings. Omitted fields keep their value; null resets a text. */
export const NewsletterChanges = z.strictObject({
  confirm: confirm.optional(),
  from_name: unsettable(from_name),
  reply_to: unsettable(reply_to),
  postal_address: unsettable(postal_address),
});

/** Newsletter settings of a new site. */
export const defaultNewsletter: NewsletterSettings = {
  confirm: null,
  from_name: '',
  reply_to: '',
  postal_address: '',
};

/** Newsletter preference of a member. */
export const NewsletterPreference = z.strictObject({
  receives: documented(z.boolean(), 'True if the member receives the newsletter', true),
  complained: documented(
    z.boolean(),
    'True if the member reported the newsletter as spam; they cannot be subscribed again',
    false,
  ),
});

export const Prefer = NewsletterPreference.pick({ receives: true });
