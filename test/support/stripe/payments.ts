import type { Stripe } from 'stripe';
import type { Ledger } from './ledger.ts';
import { newCharge, newDispute, newPaymentIntent, newRefund } from './objects.ts';
import { list, type Route, retrieve } from './routes.ts';

// Payments and what reverses them. A payment is one PaymentIntent with one charge.

export const paymentRoutes: Route[] = [
  retrieve('payment_intent', '/v1/payment_intents', 'payment_intent'),
  list('payment_intent', '/v1/payment_intents', 'payment_intent', { customer: ({ customer }) => customer }),
  retrieve('charge', '/v1/charges', 'charge'),
  list('charge', '/v1/charges', 'charge', {
    customer: ({ customer }) => customer,
    payment_intent: ({ payment_intent }) => payment_intent,
  }),
  retrieve('refund', '/v1/refunds', 'refund'),
  list('refund', '/v1/refunds', 'refund', {
    charge: ({ charge }) => charge,
    payment_intent: ({ payment_intent }) => payment_intent,
  }),
  retrieve('dispute', '/v1/disputes', 'dispute'),
  list('dispute', '/v1/disputes', 'dispute', {
    charge: ({ charge }) => charge,
    payment_intent: ({ payment_intent }) => payment_intent,
  }),
];

export interface PaymentOf {
  amount: number;
  currency: string;
  customer?: string | null;
  email?: string | null;
  metadata?: Record<string, string>;
  receipt_email?: string | null;
  method?: 'card' | 'sepa';
}

/** Charges a payment method. A card succeeds immediately. A bank account is `processing` until it is settled or fails. */
export function charge(ledger: Ledger, payment: PaymentOf): Stripe.PaymentIntent {
  const { amount, currency, customer = null, email = null, metadata = {}, receipt_email = null } = payment;
  const isCard = payment.method !== 'sepa';
  const shared = { amount, currency, customer, metadata, receipt_email };
  const intent = ledger.put(
    'payment_intent',
    newPaymentIntent(ledger.base('payment_intent'), {
      ...shared,
      status: isCard ? 'succeeded' : 'processing',
      payment_method_types: [isCard ? 'card' : 'sepa_debit'],
    }),
  );
  const made = ledger.put(
    'charge',
    newCharge(ledger.base('charge'), {
      ...shared,
      ...{ email, payment_intent: intent.id, status: isCard ? 'succeeded' : 'pending' },
    }),
  );
  intent.latest_charge = made.id;
  ledger.record('payment_intent.created', intent);
  ledger.record(isCard ? 'charge.succeeded' : 'charge.pending', made);
  ledger.record(isCard ? 'payment_intent.succeeded' : 'payment_intent.processing', intent);
  return intent;
}

/** Ends a payment by a bank account that is `processing`. */
export function endProcessing(ledger: Ledger, intent: Stripe.PaymentIntent, isPaid: boolean): void {
  if (intent.status !== 'processing') throw new Error(`${intent.id} is ${intent.status}`);
  const made = chargeOf(ledger, intent);
  if (isPaid) {
    Object.assign(intent, { status: 'succeeded', amount_received: intent.amount });
    Object.assign(made, { status: 'succeeded', paid: true, captured: true, amount_captured: made.amount });
    ledger.record('charge.succeeded', made);
    ledger.record('payment_intent.succeeded', intent);
    return;
  }
  intent.status = 'requires_payment_method';
  Object.assign(made, { status: 'failed', failure_code: 'debit_not_authorized' });
  ledger.record('charge.failed', made);
  ledger.record('payment_intent.payment_failed', intent);
}

const chargeOf = (ledger: Ledger, { latest_charge }: Stripe.PaymentIntent) =>
  ledger.get('charge', String(latest_charge));

/** Refunds a charge, by default the rest of its amount. */
export function refund(ledger: Ledger, chargeId: string, amount?: number): Stripe.Refund {
  const made = ledger.get('charge', chargeId);
  const left = made.amount - made.amount_refunded;
  const sum = amount ?? left;
  if (sum <= 0 || sum > left) throw new Error(`${chargeId} has ${left} left to refund`);
  made.amount_refunded += sum;
  made.refunded = made.amount_refunded === made.amount;
  const created = ledger.put('refund', newRefund(ledger.base('refund'), made, sum));
  ledger.record('refund.created', created);
  ledger.record('charge.refunded', made);
  ledger.record('refund.updated', created);
  return created;
}

/** Fails a refund: the bank sends the money back. */
export function failRefund(ledger: Ledger, refundId: string): void {
  const failed = ledger.get('refund', refundId);
  if (failed.status === 'failed') throw new Error(`${refundId} failed already`);
  const made = ledger.get('charge', String(failed.charge));
  Object.assign(failed, { status: 'failed', failure_reason: 'unknown' });
  made.amount_refunded -= failed.amount;
  made.refunded = false;
  ledger.record('refund.updated', failed);
  ledger.record('refund.failed', failed);
}

/** Opens a dispute, or an inquiry, which moves no money. */
export function dispute(ledger: Ledger, chargeId: string, { isInquiry = false } = {}): Stripe.Dispute {
  const made = ledger.get('charge', chargeId);
  made.disputed = true;
  const opened = ledger.put('dispute', newDispute(ledger.base('dispute'), made, isInquiry));
  ledger.record('charge.dispute.created', opened);
  return opened;
}

/** Turns an inquiry into a dispute. */
export function escalateDispute(ledger: Ledger, disputeId: string): void {
  const opened = ledger.get('dispute', disputeId);
  opened.status = 'needs_response';
  ledger.record('charge.dispute.updated', opened);
}

export function closeDispute(
  ledger: Ledger,
  disputeId: string,
  status: 'won' | 'lost' | 'warning_closed',
): void {
  const closed = ledger.get('dispute', disputeId);
  closed.status = status;
  ledger.record('charge.dispute.closed', closed);
}
