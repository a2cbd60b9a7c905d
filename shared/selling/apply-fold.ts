import { type InferEntity, LockMode } from '@mikro-orm/core';
import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { ContentDeps } from '../content/write.ts';
import { purchaseStateOf } from '../contract/audience/purchase.ts';
import { fromMinorUnits } from '../contract/currencies.ts';
import { Email } from '../contract/fields.ts';
import { base62, newRecordId, randomText, recordIdPattern } from '../contract/record-id.ts';
import { changesOf } from '../db/changes-of.ts';
import type { Transaction } from '../db/config.ts';
import { Membership, Purchase } from '../db/entities/audience.ts';
import { CheckoutEntity, OfferEntity } from '../db/entities/offers.ts';
import { accountKeyOf, type Connection } from './connection.ts';
import { foldCheckout, foldMembership, foldPurchase, paymentOf, type Reversals } from './fold.ts';
import { insertPurchase } from './insert-purchase.ts';
import { queueDisputeMail, queueSaleMails } from './sale-mails.ts';

export interface SaleDeps extends ContentDeps {
  /** True if test sales open content for everyone (`countsTestSales`); otherwise, they fire no events. */
  countsTest: boolean;
}

export interface SaleScope {
  deps: SaleDeps;
  connection: Pick<Connection, 'site_id' | 'account_id' | 'portal_ref'>;
}

/** Metadata of objects that a site's checkouts created. */
const Metadata = z.object({
  site: z.string(),
  checkout: z.string().regex(recordIdPattern),
  offer: z.string().regex(recordIdPattern),
});

/** Metadata of an object that a checkout of the site created; null for other objects. */
export function ownMetadataOf(siteId: string, metadata: unknown) {
  const { data } = Metadata.safeParse(metadata);
  return data?.site === siteId ? data : null;
}

type Checkout = InferEntity<typeof CheckoutEntity>;

const locked = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

/**
 * Stores a checkout's state after its session, and the purchase that the session paid, with its event, enrollment and emails. Returns
 * false for a session of another site or purpose.
 */
export async function applySession(
  em: Transaction,
  scope: SaleScope,
  session: Stripe.Checkout.Session,
  reversals: Reversals | null,
): Promise<boolean> {
  const checkout = await lockCheckout(em, scope, session);
  if (!checkout) return false;
  const state = foldCheckout(checkout.state, session);
  if (state !== checkout.state)
    em.assign(checkout, { state, session_ref: session.id, updated: scope.deps.clock.now() });
  if (session.mode === 'payment') await applyPayment(em, scope, { session, reversals, checkout });
  return true;
}

/** Locks the checkout of a session. One that a restored backup lacks is rebuilt. Null for a foreign session. */
async function lockCheckout(
  em: Transaction,
  { deps, connection: { site_id } }: SaleScope,
  session: Stripe.Checkout.Session,
): Promise<Checkout | null> {
  const own = ownMetadataOf(site_id, session.metadata);
  if (!own) return null;
  const key = { site_id, id: own.checkout };
  const found = await em.findOne(CheckoutEntity, key, locked);
  if (found) return found;
  const { data: email } = Email.safeParse(session.customer_email);
  if (email === undefined) return null;
  const currency = (session.currency ?? '').toUpperCase();
  const row = {
    ...{ ...key, token: randomText(base62, 22, deps.randomBytes), offer_id: own.offer, email },
    ...{ amount: fromMinorUnits(session.amount_total ?? 0, currency), currency, trial_days: null },
    ...{ parameters: {}, attempt: 1, session_ref: session.id, url: null },
    ...{ state: foldCheckout('expired', session), expires_at: new Date(session.expires_at * 1_000) },
    ...{ created: new Date(session.created * 1_000), updated: deps.clock.now() },
  };
  const insert = em.getKysely().insertInto('checkouts').values(row);
  await insert.onConflict((conflict) => conflict.doNothing()).execute();
  return em.findOne(CheckoutEntity, key, locked);
}

/** Stores the purchase of a payment, or changes the stored one. */
async function applyPayment(
  em: Transaction,
  scope: SaleScope,
  sold: { session: Stripe.Checkout.Session; reversals: Reversals | null; checkout: Checkout },
) {
  const { session, reversals, checkout } = sold;
  const { deps, connection } = scope;
  const { site_id } = connection;
  if (await applyReversals(em, scope, paymentOf(session), reversals)) return;
  const purchase = foldPurchase(null, session, reversals);
  if (!purchase) return;
  const offer = await em.findOne(OfferEntity, { site_id, id: checkout.offer_id });
  if (!offer?.collection || !offer.record_id) return;
  const fires = isShown(scope, purchase) && purchaseStateOf({ ...purchase, revoked_at: null }) === 'paid';
  const sale = {
    ...{ ...purchase, content_type: offer.collection, content_id: offer.record_id },
    ...{ buyer_email: checkout.email, provider: 'stripe', offer_id: offer.id },
    account_key: accountKeyOf(connection),
  };
  const bought = await insertPurchase(em, deps, site_id, sale, fires);
  if (bought && fires) await queueSaleMails(em, { site_id, collection: 'purchases', id: bought.id });
}

/** True if a sale counts: a real one, or a test sale where these count. */
const isShown = ({ deps }: SaleScope, { livemode }: { livemode: boolean }) => livemode || deps.countsTest;

/** Changes the stored purchase of a payment by its reversals. Returns false if there is none. */
export async function applyReversals(
  em: Transaction,
  { deps, connection: { site_id, ...connection } }: SaleScope,
  payment: string,
  reversals: Reversals | null,
): Promise<boolean> {
  const row = await em.findOne(Purchase, { site_id, provider: 'stripe', external_id: payment }, locked);
  if (!row) return false;
  const wasDisputed = row.dispute === 'open';
  const folded = foldPurchase({ ...row, external_id: payment }, null, reversals) ?? row;
  const { charge_ref, refunded_amount, dispute } = folded;
  const values = { charge_ref, refunded_amount, dispute, account_key: accountKeyOf(connection) };
  em.assign(row, changesOf(row, values, deps.clock.now()));
  if (dispute === 'open' && !wasDisputed)
    await queueDisputeMail(em, { site_id, collection: 'purchases', id: row.id });
  return true;
}

/**
 * Stores the membership of a subscription. `sold` returns the checkout that sold it, and is called for a new membership. Memberships
 * fire no events.
 */
export async function applySubscription(
  em: Transaction,
  { deps, connection }: SaleScope,
  known: {
    subscription: Stripe.Subscription;
    as_of: Date;
    last: Reversals | null | undefined;
    sold: { offer_id: string; email: string } | null;
  },
): Promise<void> {
  const { subscription, as_of, last, sold } = known;
  const { site_id } = connection;
  const row = await em.findOne(Membership, membershipKey(site_id, subscription.id), locked);
  const account_key = accountKeyOf(connection);
  const now = deps.clock.now();
  if (row) {
    if (as_of < row.as_of) return;
    const wasBlocked = row.blocked;
    const { as_of: _, ...folded } = foldMembership(row, subscription, { as_of, last }) ?? row;
    em.assign(row, { ...changesOf(row, { ...folded, account_key }, now), as_of });
    if (last?.dispute === 'open' && row.blocked && !wasBlocked)
      await queueDisputeMail(em, { site_id, collection: 'memberships', id: row.id });
    return;
  }
  const folded = foldMembership(null, subscription, { as_of, last });
  const offer = folded && sold && (await em.findOne(OfferEntity, { site_id, id: sold.offer_id }));
  if (!offer || offer.tiers.length === 0) return;
  const membership = {
    ...{ ...folded, site_id, id: newRecordId(now, deps.randomBytes), email: sold.email, provider: 'stripe' },
    ...{ tiers: offer.tiers, offer_id: offer.id, account_key, created: now, updated: now },
  };
  const insert = em.getKysely().insertInto('memberships').values(membership);
  const inserted = await insert
    .onConflict((conflict) => conflict.columns(['site_id', 'provider', 'external_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted && isShown({ deps, connection }, membership))
    await queueSaleMails(em, { site_id, collection: 'memberships', id: inserted.id });
}

/** Columns that identify the membership of a subscription. */
export const membershipKey = (site_id: string, external_id: string) => ({
  site_id,
  provider: 'stripe',
  external_id,
});
