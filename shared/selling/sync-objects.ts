import type { Stripe } from 'stripe';
import type { Transaction } from '../db/config.ts';
import { Membership } from '../db/entities/audience.ts';
import { CheckoutEntity } from '../db/entities/offers.ts';
import {
  applyReversals,
  applySession,
  applySubscription,
  membershipKey,
  ownMetadataOf,
  type SaleScope,
} from './apply-fold.ts';
import { expanded, idOf, latestInvoiceOf, type Reversals, reversalsOf } from './fold.ts';
import { stripeFailure } from './stripe.ts';

// Fetches objects as they are at Stripe now, and then folds them into rows. No transaction is open during a call.

export interface SyncScope extends SaleScope {
  stripe: Stripe;
  /** Runs a transaction; the worker's fails if its lease was lost. */
  transact<T>(work: (em: Transaction) => Promise<T>): Promise<T>;
}

/** Folds a session of a checkout, with what it sold. Ignores sessions of others. Throws as the client does. */
export async function syncSession(scope: SyncScope, id: string): Promise<void> {
  const as_of = scope.deps.clock.now();
  const expand = ['payment_intent.latest_charge', 'subscription.latest_invoice'];
  const session = await scope.stripe.checkout.sessions.retrieve(id, { expand });
  const subscription = expanded(session.subscription);
  const reversals = await findReversals(scope, expanded(expanded(session.payment_intent)?.latest_charge));
  const isOwn = await scope.transact((em) => applySession(em, scope, session, reversals));
  if (isOwn && subscription) await syncSubscription(scope, subscription, as_of);
}

/**
 * Ends the payment page of a session, so that it cannot be paid any more. A session that was paid before is folded. Ignores sessions of
 * an account that is not connected any more. Throws as the client does.
 */
export async function endSession(scope: SyncScope, id: string): Promise<void> {
  const isEnded = await ignoreRefusal(() => scope.stripe.checkout.sessions.expire(id));
  // Stripe refuses to end the page of a checkout that was paid.
  if (!isEnded) await ignoreRefusal(() => syncSession(scope, id));
}

/** Runs a call to Stripe. Returns false if Stripe refused it. Throws other errors of the client. */
export async function ignoreRefusal(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (stripeFailure(error).kind !== 'refused') throw error;
    return false;
  }
}

async function findReversals({ stripe }: SyncScope, charge: Stripe.Charge | null): Promise<Reversals | null> {
  if (!charge) return null;
  const { id, disputed } = charge;
  return reversalsOf(charge, disputed ? (await stripe.disputes.list({ charge: id, limit: 100 })).data : []);
}

/** Fetches and folds a subscription. Throws as the client does. */
export async function syncSubscriptionById(scope: SyncScope, id: string, isReversed = false): Promise<void> {
  const as_of = scope.deps.clock.now();
  const subscription = await scope.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
  await syncSubscription(scope, subscription, as_of, isReversed);
}

/**
 * Folds a subscription that was fetched with its latest invoice. The charge of its latest paid invoice is looked up if the membership
 * is new or blocked, or if a charge of it `isReversed`.
 */
export async function syncSubscription(
  scope: SyncScope,
  subscription: Stripe.Subscription,
  as_of: Date,
  isReversed = false,
): Promise<void> {
  const { site_id } = scope.connection;
  const row = await scope.transact((em) => em.findOne(Membership, membershipKey(site_id, subscription.id)));
  const own = ownMetadataOf(site_id, subscription.metadata);
  if (!row && (!own || subscription.status.startsWith('incomplete'))) return;
  const last = !row || row.blocked || isReversed ? await findLastReversals(scope, subscription) : undefined;
  const sold = !row && own ? await findSold(scope, subscription, own) : null;
  await scope.transact((em) => applySubscription(em, scope, { subscription, as_of, last, sold }));
}

/** Reversals of the latest paid invoice; null if nothing was charged. */
async function findLastReversals(
  scope: SyncScope,
  subscription: Stripe.Subscription,
): Promise<Reversals | null> {
  const { stripe } = scope;
  const latest = latestInvoiceOf(subscription);
  const isPaid = latest?.status === 'paid';
  const paid = isPaid
    ? latest
    : (await stripe.invoices.list({ subscription: subscription.id, status: 'paid', limit: 1 })).data[0];
  if (!paid?.id) return null;
  const expand = ['data.payment.payment_intent.latest_charge'];
  const payments = await stripe.invoicePayments.list({ invoice: paid.id, status: 'paid', limit: 1, expand });
  const payment = expanded(payments.data[0]?.payment.payment_intent);
  return findReversals(scope, expanded(payment?.latest_charge));
}

/** Offer and address of a new membership: those of its checkout, which is rebuilt from the session if a restored backup lacks it. */
async function findSold(
  scope: SyncScope,
  { id: subscription }: Stripe.Subscription,
  { checkout, offer: offer_id }: { checkout: string; offer: string },
) {
  const key = { site_id: scope.connection.site_id, id: checkout };
  const find = () => scope.transact((em) => em.findOne(CheckoutEntity, key));
  let known = await find();
  if (!known) {
    const { data } = await scope.stripe.checkout.sessions.list({ subscription, limit: 1 });
    const [session] = data;
    if (!session) return null;
    await scope.transact((em) => applySession(em, scope, session, null));
    known = await find();
  }
  return known ? { offer_id, email: known.email } : null;
}

/** Folds a refunded or disputed charge of a purchase or membership. Ignores charges of others. Throws as the client does. */
export async function syncCharge(scope: SyncScope, id: string): Promise<void> {
  const { stripe, connection } = scope;
  const charge = await stripe.charges.retrieve(id);
  const payment = idOf(charge.payment_intent);
  if (!payment) return;
  const reversals = await findReversals(scope, charge);
  if (await scope.transact((em) => applyReversals(em, scope, payment, reversals))) return;
  if (ownMetadataOf(connection.site_id, charge.metadata)) {
    const { data } = await stripe.checkout.sessions.list({ payment_intent: payment, limit: 1 });
    if (data[0]) await syncSession(scope, data[0].id);
    return;
  }
  const { data } = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: payment },
    limit: 1,
    expand: ['data.invoice'],
  });
  const invoice = expanded(data[0]?.invoice);
  const parent = invoice && !invoice.deleted ? invoice.parent : null;
  const subscription = idOf(parent?.subscription_details?.subscription);
  if (subscription) await syncSubscriptionById(scope, subscription, true);
}
