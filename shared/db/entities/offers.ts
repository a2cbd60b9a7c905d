import { p } from '@mikro-orm/core';
import type { Stripe } from 'stripe';
import type { Offer } from '../../contract/features/offers.ts';
import {
  bookkeeping,
  computedText,
  isPublic,
  sitePrimaryKey,
  table,
  textArray,
  timestampColumn,
} from '../columns.ts';

const amount = () => p.decimal('number').columnType('numeric');

/** Price of a record or a membership. */
export const OfferEntity = table('offers', {
  ...sitePrimaryKey,
  title: p.text(),
  kind: p.text().$type<Offer['kind']>(),
  collection: p.text().$type<NonNullable<Offer['collection']>>().nullable(),
  record_id: p.text().nullable(),
  tiers: textArray().$type<Offer['tiers']>(),
  interval: p.text().$type<Offer['interval']>(),
  amount: amount(),
  currency: p.text(),
  trial_days: p.integer().nullable(),
  active: p.boolean(),
  sort_order: p.integer(),
  /** ID of the product at the payment provider. */
  product_ref: p.text().nullable(),
  is_public: isPublic('active'),
  ...bookkeeping,
});

export type CheckoutState = 'opening' | 'open' | 'paying' | 'paid' | 'failed' | 'expired';

/** Attempt of a buyer to pay for an offer. The sale belongs to `email`, whatever address the provider returns. */
export const CheckoutEntity = table(
  'checkouts',
  {
    ...sitePrimaryKey,
    /** Last part of the buyer's return URL: 22 random characters. */
    token: p.text(),
    offer_id: p.text(),
    email: p.text(),
    mailbox: computedText('mailbox_of(email)'),
    amount: amount(),
    currency: p.text(),
    trial_days: p.integer().nullable(),
    /** Parameters of the provider's session, resent unchanged. */
    parameters: p.json<Stripe.Checkout.SessionCreateParams>(),
    attempt: p.integer(),
    session_ref: p.text().nullable(),
    url: p.text().nullable(),
    state: p.text().$type<CheckoutState>(),
    expires_at: timestampColumn(),
    ...bookkeeping,
  },
  { name: 'checkouts_token_key', properties: ['site_id', 'token'] },
);

/** Connection of a site to its account at the payment provider. */
export const PaymentConnection = table('payment_connections', {
  site_id: p.text().primary(),
  id: p.text().unique('payment_connections_id_key'),
  account_id: p.text().nullable(),
  account_name: p.text(),
  livemode: p.boolean(),
  key_sealed: p.text(),
  hook_id: p.text().nullable(),
  hook_secret_sealed: p.text().nullable(),
  portal_ref: p.text().nullable(),
  automatic_tax: p.boolean(),
  promotion_codes: p.boolean(),
  /** PUBLIC_URL at the time of connecting: a copy of the database under another one must not sell. */
  public_url: p.text(),
  /** Time from which the worker's next pass over the account lists events of Stripe. */
  cursor: timestampColumn().nullable(),
  /** Time of the worker's next pass over the account. */
  due_at: timestampColumn().nullable(),
  /** Time of the last pass that listed all subscriptions; null if the next pass does. */
  listed_at: timestampColumn().nullable(),
  lease_until: timestampColumn().nullable(),
  lease_fence: p.bigint('number'),
  seen_at: timestampColumn().nullable(),
  state: p.text().$type<'active' | 'broken'>(),
  reason: p.text().$type<'key_refused'>().nullable(),
  is_public: isPublic('true'),
  ...bookkeeping,
});

export const offerEntities = [OfferEntity, CheckoutEntity, PaymentConnection];
