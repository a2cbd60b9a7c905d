import { z } from 'zod';
import { documented } from '../documented.ts';
import { boundedText, type Field, flag } from '../fields.ts';
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

export const provider: Field<string, string, false> = {
  kind: 'text',
  input: nameOfProvider,
  output: nameOfProvider,
  column: 'text',
  unset: 'manual',
  required: false,
};

export const externalId: Field<string, string | null, false> = {
  kind: 'text',
  input: ExternalId,
  output: documented(
    z.string().nullable(),
    'ID of the sale at the provider; null if it has none',
    'sale_8f2k',
  ),
  column: 'text',
  unset: null,
  required: false,
};

export const offerId: Field<string, string | null, false> = {
  kind: 'reference',
  input: RecordId,
  output: RecordId.nullable().describe('ID of the offer that was bought; null if it was none of this site'),
  column: 'text',
  unset: null,
  required: false,
};

/** Field that is false for rows of a test account. It is true if unset. */
export const livemode: Field<boolean, boolean, false> = {
  ...flag('True if real money was paid; false for test payments'),
  unset: true,
};

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
