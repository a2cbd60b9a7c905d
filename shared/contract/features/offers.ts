import { z } from 'zod';
import { CurrencyCode } from '../audience/sale.ts';
import { priceProblem } from '../currencies.ts';
import { documented, titled } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { flagQuery } from '../filters.ts';
import { pageQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';

/**
 * Limits of offers: number per site, UTF-16 units of a title, checkouts of a site that are open at the same time, and
 * days of a trial.
 */
export const offerLimits = {
  perSite: 200,
  maxTitleLength: 200,
  openCheckouts: 1_000,
  trialDays: 90,
} as const;

/** Collections whose records can be sold. */
export const soldCollections = ['posts', 'courses'] as const;

/** Access tiers that a membership can open. */
export const membershipTiers = ['paid', 'members'] as const;

const offerIntervals = ['once', 'month', 'year'] as const;

const title = documented(
  boundedText(offerLimits.maxTitleLength).min(1),
  'Title that buyers see',
  'PostgreSQL course',
);
const collection = documented(z.enum(soldCollections), 'Collection of the sold record', 'courses');
const record = documented(
  RecordId,
  'ID of the sold record: a public one with access tier `paid`',
  'mb3k9x2a7f0q1zd',
);
const tiers = documented(
  z
    .array(z.enum(membershipTiers))
    .min(1)
    .max(membershipTiers.length)
    .refine((all) => new Set(all).size === all.length, { error: 'must not contain a tier twice' }),
  'Access tiers that the membership opens',
  [...membershipTiers],
);
const interval = documented(
  z.enum(offerIntervals),
  'Payment interval: `once` sells a record, `month` and `year` sell a membership',
  'once',
);
const amount = documented(z.number(), 'Price in units of `currency`, including taxes', 49.5);
const currency = documented(CurrencyCode, 'Currency of the price (ISO 4217)', 'EUR');
const trialDays = documented(
  z.int().min(1).max(offerLimits.trialDays).nullable(),
  'Length of the free trial of a membership, in days; null for no trial',
  null,
);
const active = documented(z.boolean(), 'True if the offer is for sale', true);
const sortOrder = documented(z.int32(), 'Position among the offers; lower numbers come first', 0);

export const Offer = titled('Offer', {
  id: RecordId,
  title,
  kind: documented(z.enum(['record', 'membership']), 'Kind of the offer', 'record'),
  collection: documented(
    collection.nullable(),
    'Collection of the sold record; null for a membership',
    'courses',
  ),
  record_id: documented(
    RecordId.nullable(),
    'ID of the sold record; null for a membership',
    'mb3k9x2a7f0q1zd',
  ),
  tiers: documented(
    z.array(z.enum(membershipTiers)),
    'Access tiers that a membership opens; empty for a record',
    [],
  ),
  interval,
  amount,
  currency,
  trial_days: trialDays,
  active,
  sort_order: sortOrder,
  created,
  updated,
}).describe('Price of a post, a course or a membership');

export type Offer = z.infer<typeof Offer>;

/** Fields of an offer that buyers see. */
export const ShownOffer = Offer.pick({
  ...{ id: true, title: true, kind: true, interval: true, amount: true, currency: true, trial_days: true },
  ...{ collection: true, record_id: true },
}).strip();

/** Record of an offer. `path` is that of its page; null if visitors cannot see it. */
export const OfferedRecord = z.strictObject({ title: z.string(), path: z.string().nullable() });

/** Input of a new offer. Its record or tiers must fit its interval, and its price the currency. */
export const CreateOffer = z
  .strictObject({
    title,
    interval,
    collection: collection.nullable().optional(),
    record_id: record.nullable().optional(),
    tiers: tiers.nullable().optional(),
    amount,
    currency,
    trial_days: trialDays.optional(),
    active: active.default(true),
    sort_order: sortOrder.default(0),
  })
  .check(({ value, issues }) => {
    const refuse = (path: string, message: string | null) => {
      if (message) issues.push({ code: 'custom', path: [path], message, input: value });
    };
    const isOnce = value.interval === 'once';
    for (const name of ['collection', 'record_id'] as const) {
      if (isOnce) refuse(name, value[name] ? null : 'is required if `interval` is `once`');
      else refuse(name, value[name] ? 'is not allowed in a membership' : null);
    }
    if (isOnce && value.tiers) refuse('tiers', 'is not allowed if `interval` is `once`');
    if (isOnce && value.trial_days) refuse('trial_days', 'is not allowed if `interval` is `once`');
    refuse('amount', priceProblem(value.amount, value.currency));
  });

export const UpdateOffer = z.strictObject({
  id: RecordId,
  title: title.optional(),
  amount: amount.optional(),
  tiers: tiers.optional(),
  trial_days: trialDays.optional(),
  active: active.optional(),
  sort_order: sortOrder.optional(),
});

export const ListOffers = z
  .object({ ...pageQuery, active: flagQuery('Only offers that are for sale, or only the others') })
  .prefault({});

const termsUrl = documented(
  boundedText(2_000).refine((text) => text === '' || (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text)), {
    error: 'must be an absolute http or https URL',
  }),
  'URL of the terms of sale, shown beside each buy button; empty for none',
  'https://ada.example.com/terms',
);
const note = documented(
  boundedText(500),
  'Note beside each buy button, such as “incl. VAT”; empty for none',
  'Prices include VAT.',
);

export const SellingSettings = titled('SellingSettings', { terms_url: termsUrl, note }).describe(
  'Texts beside each buy button',
);

export type SellingSettings = z.infer<typeof SellingSettings>;

export const SellingChanges = SellingSettings.partial();

export const defaultSelling: SellingSettings = { terms_url: '', note: '' };
