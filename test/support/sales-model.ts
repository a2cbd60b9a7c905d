import type { Stripe } from 'stripe';
import type { StripeStandIn } from './stripe/index.ts';

// Rows and entitlements that a ledger of Stripe implies, written from the contract and without code of the service.

type View = ReturnType<StripeStandIn['ledger']>;

const withoutDecimals = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const threeDecimals = new Set('BHD JOD KWD OMR TND'.split(' '));

/** Minor units of a currency in one unit, as Stripe counts them. */
export const unitsOf = (currency: string) =>
  withoutDecimals.has(currency) ? 1 : threeDecimals.has(currency) ? 1_000 : 100;

type Dispute = 'none' | 'open' | 'won' | 'lost';

const disputeStates: Partial<Record<string, Dispute>> = {
  ...{ needs_response: 'open', under_review: 'open', won: 'won', lost: 'lost' },
};

interface Reversed {
  refunded: number;
  isRefunded: boolean;
  dispute: Dispute;
}

const notReversed: Reversed = { refunded: 0, isRefunded: false, dispute: 'none' };

function reversalsOf({ charges, disputes }: View, chargeId: string): Reversed {
  const charge = charges.find(({ id }) => id === chargeId);
  if (!charge) return notReversed;
  const states = disputes
    .filter((one) => one.charge === chargeId)
    .map(({ status }) => disputeStates[status] ?? 'none');
  const dispute = (['lost', 'open', 'won'] as const).find((state) => states.includes(state)) ?? 'none';
  const { amount, amount_refunded: refunded } = charge;
  return { refunded, isRefunded: amount > 0 && refunded === amount, dispute };
}

/** Purchase that a paid session implies, in the columns of the service. */
export interface ModelPurchase {
  external_id: string;
  buyer_email: string;
  offer_id: string;
  amount: number;
  currency: string;
  refunded_amount: number;
  dispute: Dispute;
  state: 'paid' | 'refunded' | 'disputed' | 'revoked';
}

const isOf = (siteId: string, metadata: Stripe.Metadata | null) => metadata?.site === siteId;

function purchasesOf(view: View, siteId: string): ModelPurchase[] {
  const charges = new Map(view.charges.map(({ id, payment_intent }) => [payment_intent, id]));
  return view.paid
    .filter(({ mode, metadata }) => mode === 'payment' && isOf(siteId, metadata))
    .map((session): ModelPurchase => {
      const currency = String(session.currency).toUpperCase();
      const intent = session.payment_intent && String(session.payment_intent);
      const reversed = intent ? reversalsOf(view, charges.get(intent) ?? '') : notReversed;
      const { dispute, isRefunded, refunded } = reversed;
      return {
        external_id: intent ?? session.id,
        ...{ buyer_email: String(session.customer_email), offer_id: String(session.metadata?.offer) },
        ...{ amount: Number(session.amount_total) / unitsOf(currency), currency },
        ...{ refunded_amount: refunded / unitsOf(currency), dispute },
        state:
          dispute === 'lost' ? 'revoked' : dispute === 'open' ? 'disputed' : isRefunded ? 'refunded' : 'paid',
      };
    })
    .toSorted(byExternalId);
}

/** Membership that a subscription implies, in the columns of the service. */
export interface ModelMembership {
  external_id: string;
  email: string;
  state: 'trialing' | 'active' | 'past_due' | 'ended';
  blocked: boolean;
  /** Null for an end that Stripe does not date. */
  open_until: number | null;
  cancel_at: number | null;
}

const day = 86_400;

function membershipsOf(view: View, siteId: string): ModelMembership[] {
  return view.subscriptions
    .filter(({ metadata }) => isOf(siteId, metadata))
    .map((subscription): ModelMembership => {
      const { id, status, cancel_at, ended_at } = subscription;
      const session = view.sessions.find((one) => one.subscription === id);
      const state = (['trialing', 'active', 'past_due'] as const).find((one) => one === status) ?? 'ended';
      return {
        ...{ external_id: id, email: String(session?.customer_email), state, cancel_at },
        blocked: isBlocked(view, id),
        open_until: state === 'ended' ? ended_at : openUntil(view, subscription, state),
      };
    })
    .toSorted(byExternalId);
}

function openUntil(view: View, { items, latest_invoice }: Stripe.Subscription, state: string): number {
  const [item] = items.data;
  const invoice = view.invoices.find(({ id }) => id === latest_invoice);
  if (!item || !invoice) throw new Error('a subscription of the stand-in has an item and an invoice');
  return state !== 'past_due' && invoice.status === 'paid'
    ? item.current_period_end + 3 * day
    : item.current_period_start + 30 * day;
}

/** True if the payment of the latest paid invoice is refunded in full, or its dispute is open or lost. */
function isBlocked(view: View, subscription: string): boolean {
  const paid = view.invoices.findLast(
    ({ status, parent }) => status === 'paid' && parent?.subscription_details?.subscription === subscription,
  );
  const payment = view.invoicePayments.find((one) => one.invoice === paid?.id && one.status === 'paid');
  const intent = payment?.payment.payment_intent;
  const charge = view.charges.find(({ payment_intent }) => payment_intent === intent);
  if (!intent || !charge) return false;
  const { isRefunded, dispute } = reversalsOf(view, charge.id);
  return isRefunded || dispute === 'open' || dispute === 'lost';
}

const byExternalId = (one: { external_id: string }, other: { external_id: string }) =>
  one.external_id < other.external_id ? -1 : 1;

/** States that the checkout of each session may have. Later payments of a membership may end its first one. */
export function checkoutsOf(view: View, siteId: string): { session_ref: string; states: string[] }[] {
  const processing = new Set(
    view.paymentIntents.filter(({ status }) => status === 'processing').map(({ id }) => id),
  );
  const isProcessing = ({ invoice, payment_intent }: Stripe.Checkout.Session) => {
    const payment = view.invoicePayments.find((one) => one.invoice === invoice)?.payment.payment_intent;
    return processing.has(String(payment_intent ?? payment));
  };
  const statesOf = (session: Stripe.Checkout.Session) => {
    if (session.status !== 'complete') return [String(session.status)];
    if (session.payment_status !== 'unpaid') return ['paid'];
    if (session.mode === 'payment') return [isProcessing(session) ? 'paying' : 'failed'];
    return isProcessing(session) ? ['paying', 'paid', 'failed'] : ['paid', 'failed'];
  };
  return view.sessions
    .filter(({ metadata }) => isOf(siteId, metadata))
    .map((session) => ({ session_ref: session.id, states: statesOf(session) }))
    .toSorted((one, other) => (one.session_ref < other.session_ref ? -1 : 1));
}

/** Sales that a ledger implies. */
export const salesOf = (view: View, siteId: string) => ({
  purchases: purchasesOf(view, siteId),
  memberships: membershipsOf(view, siteId),
});

/** Returns the entitlements by sales at a time (in seconds), as `{email} {offer}` of purchases and `{email} tiers` of memberships. */
export function openBy({ purchases, memberships }: ReturnType<typeof salesOf>, at: number): string[] {
  const bought = purchases.filter(({ state }) => state === 'paid');
  const held = memberships.filter(
    ({ blocked, open_until }) => !blocked && open_until !== null && open_until > at,
  );
  return [
    ...bought.map(({ buyer_email, offer_id }) => `${buyer_email} ${offer_id}`),
    ...held.map(({ email }) => `${email} tiers`),
  ];
}
