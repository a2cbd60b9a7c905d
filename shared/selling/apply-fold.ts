import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { ContentDeps } from '../content/write.ts';
import { purchaseStateOf } from '../contract/audience/purchase.ts';
import { fromMinorUnits } from '../contract/currencies.ts';
import { Email } from '../contract/fields.ts';
import { base62, newRecordId, randomText, recordIdPattern } from '../contract/record-id.ts';
import type { Transaction } from '../db/config.ts';
import type { CheckoutState } from '../db/entities/offers.ts';
import { accountKeyOf, type Connection } from './connection.ts';
import {
  foldCheckout,
  foldMembership,
  foldPurchase,
  type MembershipColumns,
  paymentOf,
  type Reversals,
} from './fold.ts';
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

interface SoldCheckout {
  id: string;
  offer_id: string;
  email: string;
  state: CheckoutState;
}

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
    await updateCheckout(em, scope, checkout.id, { state, session_ref: session.id });
  if (session.mode === 'payment') await applyPayment(em, scope, { session, reversals, checkout });
  return true;
}

const updateCheckout = (
  em: Transaction,
  { deps, connection: { site_id } }: SaleScope,
  id: string,
  changes: { state: CheckoutState; session_ref: string },
) =>
  em
    .getKysely()
    .updateTable('checkouts')
    .set({ ...changes, updated: deps.clock.now() })
    .where('site_id', '=', site_id)
    .where('id', '=', id)
    .execute();

/** Locks the checkout of a session. One that a restored backup lacks is rebuilt. Null for a foreign session. */
async function lockCheckout(
  em: Transaction,
  { deps, connection: { site_id } }: SaleScope,
  session: Stripe.Checkout.Session,
): Promise<SoldCheckout | null> {
  const own = ownMetadataOf(site_id, session.metadata);
  if (!own) return null;
  const find = () =>
    em
      .getKysely()
      .selectFrom('checkouts')
      .select(['id', 'offer_id', 'email', 'state'])
      .where('site_id', '=', site_id)
      .where('id', '=', own.checkout)
      .forUpdate()
      .executeTakeFirst();
  const found = await find();
  if (found) return found;
  const { data: email } = Email.safeParse(session.customer_email);
  if (email === undefined) return null;
  const currency = (session.currency ?? '').toUpperCase();
  const row = {
    ...{
      site_id,
      id: own.checkout,
      token: randomText(base62, 22, deps.randomBytes),
      offer_id: own.offer,
      email,
    },
    ...{ amount: fromMinorUnits(session.amount_total ?? 0, currency), currency, trial_days: null },
    ...{
      parameters: {},
      attempt: 1,
      session_ref: session.id,
      url: null,
      state: foldCheckout('expired', session),
    },
    ...{ expires_at: new Date(session.expires_at * 1_000), created: new Date(session.created * 1_000) },
  };
  const insert = em
    .getKysely()
    .insertInto('checkouts')
    .values({ ...row, updated: deps.clock.now() });
  await insert.onConflict((conflict) => conflict.doNothing()).execute();
  return (await find()) ?? null;
}

/** Stores the purchase of a payment, or changes the stored one. */
async function applyPayment(
  em: Transaction,
  scope: SaleScope,
  {
    session,
    reversals,
    checkout,
  }: { session: Stripe.Checkout.Session; reversals: Reversals | null; checkout: SoldCheckout },
) {
  const { deps, connection } = scope;
  if (await applyReversals(em, scope, paymentOf(session), reversals)) return;
  const purchase = foldPurchase(null, session, reversals);
  if (!purchase) return;
  const offer = await findOffer(em, connection.site_id, checkout.offer_id);
  if (!offer?.collection || !offer.record_id) return;
  const fires = isShown(scope, purchase) && purchaseStateOf({ ...purchase, revoked_at: null }) === 'paid';
  const record = { content_type: offer.collection, content_id: offer.record_id };
  const sale = {
    ...purchase,
    ...record,
    buyer_email: checkout.email,
    provider: 'stripe',
    offer_id: offer.id,
  };
  const account_key = accountKeyOf(connection);
  const { site_id } = connection;
  const bought = await insertPurchase(em, deps, site_id, { ...sale, account_key }, fires);
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
  const row = await em
    .getKysely()
    .selectFrom('purchases')
    .select([
      'id',
      'external_id',
      'amount',
      'currency',
      'livemode',
      'charge_ref',
      'refunded_amount',
      'dispute',
    ])
    .select(['account_key', 'updated'])
    .where('site_id', '=', site_id)
    .where('provider', '=', 'stripe')
    .where('external_id', '=', payment)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return false;
  const { id, account_key, updated, ...stored } = row;
  const folded = foldPurchase({ ...stored, external_id: payment }, null, reversals);
  const changes = { ...folded, account_key: accountKeyOf(connection) };
  if (isSame({ ...stored, account_key }, changes)) return true;
  await em
    .getKysely()
    .updateTable('purchases')
    .set({ ...changes, updated: laterThan(updated, deps) })
    .where('site_id', '=', site_id)
    .where('id', '=', id)
    .execute();
  if (changes.dispute === 'open' && stored.dispute !== 'open')
    await queueDisputeMail(em, { site_id, collection: 'purchases', id });
  return true;
}

const laterThan = (updated: Date, { clock }: SaleDeps) =>
  new Date(Math.max(clock.now().getTime(), updated.getTime() + 1));

const isSame = (stored: object, changes: object) => {
  const before: Partial<Record<string, unknown>> = { ...stored };
  const plain = (value: unknown) => (value instanceof Date ? value.getTime() : value);
  return Object.entries(changes).every(([name, value]) => plain(before[name]) === plain(value));
};

const findOffer = (em: Transaction, siteId: string, id: string) =>
  em
    .getKysely()
    .selectFrom('offers')
    .select(['id', 'collection', 'record_id', 'tiers'])
    .where('site_id', '=', siteId)
    .where('id', '=', id)
    .executeTakeFirst();

/**
 * Stores the membership of a subscription. `sold` returns the checkout that sold it, and is called for a new membership. Memberships
 * fire no events.
 */
export async function applySubscription(
  em: Transaction,
  { deps, connection }: SaleScope,
  {
    subscription,
    as_of,
    last,
    sold,
  }: {
    subscription: Stripe.Subscription;
    as_of: Date;
    last: Reversals | null | undefined;
    sold: { offer_id: string; email: string } | null;
  },
): Promise<void> {
  const { site_id } = connection;
  const db = em.getKysely();
  const row = await findMembership(em, site_id, subscription.id).forUpdate().executeTakeFirst();
  const account_key = accountKeyOf(connection);
  if (row) {
    const { id, updated, account_key: key, as_of: known, ...stored } = row;
    if (as_of < known) return;
    const folded = foldMembership({ ...stored, as_of: known }, subscription, { as_of, last });
    if (!folded) return;
    const { as_of: _, ...columns } = folded;
    const isChanged = !isSame({ ...stored, account_key: key }, { ...columns, account_key });
    const changes = isChanged
      ? { ...columns, account_key, as_of, updated: laterThan(updated, deps) }
      : { as_of };
    await db
      .updateTable('memberships')
      .set(changes)
      .where('site_id', '=', site_id)
      .where('id', '=', id)
      .execute();
    if (last?.dispute === 'open' && folded.blocked && !stored.blocked)
      await queueDisputeMail(em, { site_id, collection: 'memberships', id });
    return;
  }
  const folded: MembershipColumns | null = foldMembership(null, subscription, { as_of, last });
  const offer = folded && sold && (await findOffer(em, site_id, sold.offer_id));
  if (!offer || offer.tiers.length === 0) return;
  const now = deps.clock.now();
  const membership = {
    ...{ ...folded, site_id, id: newRecordId(now, deps.randomBytes), email: sold.email, provider: 'stripe' },
    ...{ tiers: offer.tiers, offer_id: offer.id, account_key, created: now, updated: now },
  };
  const columns = ['site_id', 'provider', 'external_id'] as const;
  const insert = db.insertInto('memberships').values(membership);
  const inserted = await insert
    .onConflict((conflict) => conflict.columns([...columns]).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted && isShown({ deps, connection }, membership))
    await queueSaleMails(em, { site_id, collection: 'memberships', id: inserted.id });
}

/** Query of the stored columns of a subscription's membership. */
export const findMembership = (em: Transaction, siteId: string, subscription: string) =>
  em
    .getKysely()
    .selectFrom('memberships')
    .select(['id', 'external_id', 'state', 'blocked', 'customer_ref', 'amount', 'currency', 'interval'])
    .select(['open_until', 'cancel_at', 'trial_used', 'as_of', 'livemode', 'account_key', 'updated'])
    .where('site_id', '=', siteId)
    .where('provider', '=', 'stripe')
    .where('external_id', '=', subscription);
