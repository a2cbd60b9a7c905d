import type { Stripe } from 'stripe';
import { getParameters } from './checkout.ts';
import type { Ledger } from './ledger.ts';
import { newCustomer, newProduct } from './objects.ts';
import { charge, endProcessing } from './payments.ts';
import { endProcessingInvoice, subscribe } from './subscriptions.ts';

// Steps of buyers at Stripe's pages.

export interface PayOptions {
  /** A bank account is charged later: until `settle` or `fail` the session is complete and unpaid. */
  method?: 'card' | 'sepa';
  /** Address that the buyer gives at Stripe, if the session names none. */
  email?: string;
  /** Discount of a promotion code, in minor units. */
  discount?: number;
}

/** Completes an open Checkout session. Throws if it is expired or complete. */
export function completeSession(
  ledger: Ledger,
  session: Stripe.Checkout.Session,
  options: PayOptions = {},
): void {
  const { method = 'card', discount = 0 } = options;
  if (session.status !== 'open') throw new Error(`${session.id} is ${session.status}`);
  const { line_items, subscription_data, payment_intent_data } = getParameters(session);
  const email = session.customer_email ?? options.email ?? 'buyer@example.com';
  const total = Math.max(0, (session.amount_subtotal ?? 0) - discount);
  Object.assign(session, { amount_total: total, status: 'complete', url: null });
  Object.assign(session.total_details ?? {}, { amount_discount: (session.amount_subtotal ?? 0) - total });
  session.customer_details = {
    ...{ address: null, business_name: null, email, individual_name: null, name: null, phone: null },
    ...{ tax_exempt: 'none', tax_ids: [] },
  };
  if (session.automatic_tax.enabled) session.automatic_tax.status = 'complete';
  const currency = session.currency ?? '';
  const [item] = line_items;
  let isFree = total === 0;
  if (session.mode === 'subscription' && item?.price_data.recurring) {
    const customer = session.customer ? String(session.customer) : createCustomer(ledger, email);
    const { recurring, product_data = { name: 'Membership' } } = item.price_data;
    const product = item.price_data.product ?? createProduct(ledger, product_data.name);
    const price = { amount: total, currency, product, interval: recurring.interval };
    const trialDays = subscription_data?.trial_period_days;
    const metadata = subscription_data?.metadata ?? {};
    const made = subscribe(ledger, price, { customer, email, metadata, method, trialDays });
    Object.assign(session, { customer, subscription: made.id, invoice: made.latest_invoice });
    if (trialDays) {
      isFree = true;
      session.amount_total = 0;
    }
  } else if (!isFree) {
    const { metadata = {}, receipt_email = null } = payment_intent_data ?? {};
    const payment = { amount: total, currency, customer: null, email, metadata, receipt_email, method };
    session.payment_intent = charge(ledger, payment).id;
  }
  session.payment_status = isFree ? 'no_payment_required' : method === 'card' ? 'paid' : 'unpaid';
  ledger.record('checkout.session.completed', session);
}

function createProduct(ledger: Ledger, name: string): string {
  return ledger.put('product', newProduct(ledger.base('product'), { name })).id;
}

function createCustomer(ledger: Ledger, email: string): string {
  const customer = ledger.put('customer', newCustomer(ledger.base('customer'), email));
  ledger.record('customer.created', customer);
  return customer.id;
}

/** Ends the payment by a bank account of a complete session. */
export function endSessionPayment(ledger: Ledger, session: Stripe.Checkout.Session, isPaid: boolean): void {
  if (session.status !== 'complete' || session.payment_status !== 'unpaid')
    throw new Error(`${session.id} is ${session.status} and ${session.payment_status}`);
  if (session.invoice) endProcessingInvoice(ledger, String(session.invoice), isPaid);
  else endProcessing(ledger, ledger.get('payment_intent', String(session.payment_intent)), isPaid);
  if (isPaid) session.payment_status = 'paid';
  ledger.record(`checkout.session.async_payment_${isPaid ? 'succeeded' : 'failed'}`, session);
}
