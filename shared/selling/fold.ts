import type { InferEntity } from '@mikro-orm/core';
import type { Stripe } from 'stripe';
import { graceDays } from '../contract/audience/membership.ts';
import type { StateColumns } from '../contract/audience/purchase.ts';
import { fromMinorUnits } from '../contract/currencies.ts';
import type { Membership, Purchase } from '../db/entities/audience.ts';
import type { CheckoutState } from '../db/entities/offers.ts';

// Each fold computes the columns of a row from its stored columns and an object as it is at Stripe now. Folding an object again, or
// an older event of it, therefore changes nothing.

/** Refunds and disputes of a charge. A partial refund does not set `isRefunded`, so the buyer keeps access. */
export interface Reversals {
  charge_ref: string;
  refunded_amount: number;
  isRefunded: boolean;
  dispute: StateColumns['dispute'];
}

/**
 * Stored states by Stripe's dispute statuses. Inquiries (`warning_*`) and prevented disputes are missing, because they
 * withdraw no money.
 */
const disputeStates: Partial<Record<string, StateColumns['dispute']>> = {
  needs_response: 'open',
  under_review: 'open',
  appeal_needs_response: 'open',
  appeal_under_review: 'open',
  won: 'won',
  lost: 'lost',
};

/** Reversals of a charge, with its disputes. */
export function reversalsOf(charge: Stripe.Charge, disputes: readonly Stripe.Dispute[]): Reversals {
  const states = disputes.map(({ status }) => disputeStates[status] ?? 'none');
  const dispute = (['lost', 'open', 'won'] as const).find((state) => states.includes(state)) ?? 'none';
  return {
    charge_ref: charge.id,
    refunded_amount: fromMinorUnits(charge.amount_refunded, charge.currency.toUpperCase()),
    isRefunded: charge.amount > 0 && charge.amount_refunded >= charge.amount,
    dispute,
  };
}

type PurchaseColumns = Pick<
  InferEntity<typeof Purchase>,
  'amount' | 'refunded_amount' | 'dispute' | 'currency' | 'livemode' | 'charge_ref'
> & { external_id: string };

/** Id of what a session charged: the PaymentIntent, or the session if nothing was due. */
export const paymentOf = ({ id, payment_intent }: Stripe.Checkout.Session) => idOf(payment_intent) ?? id;

export const idOf = (object: string | { id: string } | null | undefined): string | null =>
  typeof object === 'string' ? object : (object?.id ?? null);

/** Object of a reference that was expanded; null if it was not, and without one. */
export const expanded = <T extends object>(reference: string | T | null | undefined): T | null =>
  typeof reference === 'object' ? reference : null;

/** Purchase of a session in mode `payment`; null while nothing was paid. Stored purchases change by their reversals only. */
export function foldPurchase(
  row: PurchaseColumns | null,
  session: Stripe.Checkout.Session | null,
  reversals: Reversals | null,
): PurchaseColumns | null {
  const purchase = row ?? (session && newPurchase(session));
  if (!purchase || !reversals) return purchase;
  const { charge_ref, refunded_amount, dispute } = reversals;
  return { ...purchase, charge_ref, refunded_amount, dispute };
}

function newPurchase(session: Stripe.Checkout.Session): PurchaseColumns | null {
  if (!isPaid(session)) return null;
  const currency = (session.currency ?? '').toUpperCase();
  return {
    external_id: paymentOf(session),
    amount: fromMinorUnits(session.amount_total ?? 0, currency),
    currency,
    livemode: session.livemode,
    ...{ refunded_amount: 0, dispute: 'none', charge_ref: null },
  };
}

const isPaid = ({ status, payment_status }: Stripe.Checkout.Session) =>
  status === 'complete' && payment_status !== 'unpaid';

type MembershipColumns = Omit<
  InferEntity<typeof Membership>,
  | 'site_id'
  | 'id'
  | 'email'
  | 'mailbox'
  | 'tiers'
  | 'offer_id'
  | 'provider'
  | 'account_key'
  | 'created'
  | 'updated'
>;

const dayMs = 86_400_000;

const fromSeconds = (seconds: number) => new Date(seconds * 1_000);

/**
 * Membership of a subscription with its latest invoice, as it was at `as_of`; null if its first payment never succeeded. `last` has
 * the reversals of its latest paid invoice: null if it had no charge, undefined if that was not looked up.
 */
export function foldMembership(
  row: MembershipColumns | null,
  subscription: Stripe.Subscription,
  { as_of, last }: { as_of: Date; last?: Reversals | null | undefined },
): MembershipColumns | null {
  const { status } = subscription;
  if (status === 'incomplete' || (row === null && status === 'incomplete_expired')) return row;
  if (row && row.as_of > as_of) return row;
  const [item] = subscription.items.data;
  const { unit_amount = null, recurring = null } = item?.price ?? {};
  const currency = subscription.currency.toUpperCase();
  const { cancel_at, cancel_at_period_end } = subscription;
  const ends = cancel_at ?? (cancel_at_period_end ? item?.current_period_end : null) ?? null;
  const isClosed = last && (last.isRefunded || last.dispute === 'open' || last.dispute === 'lost');
  return {
    external_id: subscription.id,
    state: membershipState(status),
    blocked: last === undefined ? (row?.blocked ?? false) : (isClosed ?? false),
    customer_ref: idOf(subscription.customer),
    amount: unit_amount === null ? null : fromMinorUnits(unit_amount, currency),
    currency,
    interval: recurring?.interval === 'year' ? 'year' : recurring?.interval === 'month' ? 'month' : null,
    open_until: openUntil(row, subscription, as_of),
    cancel_at: ends === null ? null : fromSeconds(ends),
    trial_used: row?.trial_used || subscription.trial_start !== null,
    as_of,
    livemode: subscription.livemode,
  };
}

const membershipState = (status: string) =>
  (['trialing', 'active', 'past_due'] as const).find((state) => state === status) ?? 'ended';

function openUntil(row: MembershipColumns | null, subscription: Stripe.Subscription, as_of: Date): Date {
  const state = membershipState(subscription.status);
  if (state === 'ended') {
    if (row?.state === 'ended') return row.open_until;
    return subscription.ended_at === null ? as_of : fromSeconds(subscription.ended_at);
  }
  const [item] = subscription.items.data;
  if (!item) return as_of;
  const isSettled = state !== 'past_due' && isInvoicePaid(subscription);
  const [from, days] = isSettled
    ? [item.current_period_end, graceDays.paid]
    : [item.current_period_start, graceDays.unpaid];
  return new Date(fromSeconds(from).getTime() + days * dayMs);
}

/** Returns the latest invoice, which the subscription was fetched with; null if it has none. */
export function latestInvoiceOf({ id, latest_invoice }: Stripe.Subscription): Stripe.Invoice | null {
  if (typeof latest_invoice === 'string') throw new Error(`${id}: fetched without its latest invoice`);
  return latest_invoice;
}

const isInvoicePaid = (subscription: Stripe.Subscription) => {
  const invoice = latestInvoiceOf(subscription);
  return invoice === null || invoice.status === 'paid';
};

/** A checkout is `opening` for this many minutes at most. After that, its page is not requested again. */
export const openingMinutes = 10;

/** State of a checkout after its session. An expired checkout is not opened again, but it can still prove paid. */
export function foldCheckout(state: CheckoutState, session: Stripe.Checkout.Session): CheckoutState {
  if (state === 'paid') return state;
  if (session.status === 'complete') {
    if (isPaid(session)) return 'paid';
    if (state === 'failed' || hasFailed(session)) return 'failed';
    // A membership whose first payment failed may have been paid later, by another method.
    const subscription = expanded(session.subscription);
    return subscription && isInvoicePaid(subscription) ? 'paid' : 'paying';
  }
  // Another attempt may have created a second session, which no buyer pays.
  if (state === 'paying' || state === 'failed') return state;
  if (session.status === 'expired') return 'expired';
  return state === 'opening' ? 'open' : state;
}

/** Statuses of a PaymentIntent or subscription whose first payment failed. While it is processing, a subscription is active. */
const failedStatuses = [
  ...['requires_payment_method', 'canceled'],
  ...['past_due', 'unpaid', 'incomplete_expired'],
];

/** True if a payment that takes days failed. */
function hasFailed({ payment_intent, subscription }: Stripe.Checkout.Session): boolean {
  return failedStatuses.includes(expanded(payment_intent ?? subscription)?.status ?? '');
}
