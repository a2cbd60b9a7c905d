import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { boundedText, EmailOrEmpty } from '../fields.ts';

const confirm = documented(
  z.boolean().nullable(),
  'Whether who subscribes has to confirm it by mail; null for yes where there is a mail server',
  null,
);
const from_name = documented(
  boundedText(100),
  'Name that newsletters come from; empty for that of the site',
  'Ada Marsh',
);
const reply_to = documented(
  EmailOrEmpty,
  'Where answers to newsletters go; empty for where they came from',
  'ada@example.com',
);
const postal_address = documented(
  boundedText(500),
  'Where the sender gets letters on paper, which many laws want at the end of each newsletter',
  '1 Long Lane\nLondon EC1A 9HF',
);

/** How the newsletters of a site are sent. */
export const NewsletterSettings = titled('NewsletterSettings', {
  confirm,
  from_name,
  reply_to,
  postal_address,
}).describe('How newsletters are sent');

export type NewsletterSettings = z.infer<typeof NewsletterSettings>;

const unsettable = (text: z.ZodType<string, string>) =>
  text
    .nullable()
    .transform((value) => value ?? '')
    .optional();

/** What a change of them names; the rest stays. */
export const NewsletterChanges = z.strictObject({
  confirm: confirm.optional(),
  from_name: unsettable(from_name),
  reply_to: unsettable(reply_to),
  postal_address: unsettable(postal_address),
});

export const defaultNewsletter: NewsletterSettings = {
  confirm: null,
  from_name: '',
  reply_to: '',
  postal_address: '',
};
