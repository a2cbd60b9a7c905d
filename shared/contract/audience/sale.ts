import { z } from 'zod';
import { currencies } from '../currencies.ts';
import { documented } from '../documented.ts';
import { boundedText, flag, optional } from '../fields.ts';
import { pageQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { DateTime, toDate } from '../timestamps.ts';

// Fields that purchases and memberships have in common. They identify the payment provider, the sale there and the
// offer, and tell real money from test payments.

const nameOfProvider = documented(
  z.string().regex(/^[a-z0-9-]{1,30}$/, { error: 'must have 1 to 30 characters of a-z, 0-9 and hyphens' }),
  'Payment provider that reported the sale; `manual` for purchases recorded by an owner',
  'gumroad',
);

/** Providers that cannot be named in reports over the API, because this service records their sales itself. */
export const ownProviders: ReadonlySet<string> = new Set(['stripe', 'demo', 'manual']);

/** Provider of a reported sale. */
export const Provider = nameOfProvider.refine((name) => !ownProviders.has(name), {
  error: 'must not be `stripe`, `demo` or `manual`, which this service records itself',
});

export const ExternalId = documented(
  boundedText(200)
    .min(1)
    .refine((id) => !/\p{Cc}/u.test(id), { error: 'must not contain control characters' }),
  'ID of the sale at the provider; unique for each provider of the site',
  'sale_8f2k',
);

/** ISO 4217 code that this runtime knows. */
export const CurrencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: 'must be a currency code of three capital letters, such as EUR' })
  .refine((code) => currencies.has(code), { error: 'must be an ISO 4217 code' });

export const provider = optional('text', nameOfProvider, nameOfProvider, 'text', 'manual');

const idOrNull = documented(
  z.string().nullable(),
  'ID of the sale at the provider; null if it has none',
  'sale_8f2k',
);

export const externalId = optional('text', ExternalId, idOrNull, 'text', null);

const offerOrNull = RecordId.nullable().describe(
  'ID of the offer that was bought; null if it was none of this site',
);

export const offerId = optional('reference', RecordId, offerOrNull, 'text', null);

/** Field that is false for rows of a test account. It is true if unset. */
export const livemode = { ...flag('True if real money was paid; false for test payments'), unset: true };

/** Returns the query schema of lists of sales: paging, `updated_from` and `filters`. */
export const salesQuery = <F extends Record<string, z.ZodOptional>>(filters: F) =>
  z.object({
    ...pageQuery,
    updated_from: DateTime.transform(toDate)
      .describe(
        'Only rows that changed at or after this time, oldest change first; if omitted, newest rows first',
      )
      .optional(),
    ...filters,
  });
