import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { Ledger } from './ledger.ts';
import { expandable, listed, toggle } from './parameters.ts';
import { charge, endProcessing, type PaymentOf } from './payments.ts';
import {
  newInvoice,
  newInvoicePayment,
  newSubscription,
  type Period,
  type PriceOf,
} from './recurring-objects.ts';
import { StripeRefusal } from './refusal.ts';
import { list, page, type Route, retrieve, route } from './routes.ts';

// A subscription is `trialing`, then `active`. A payment that fails makes it `past_due`, a later one `active` again. It ends as
// `canceled` or `unpaid`. Tests renew subscriptions. A subscription with `cancel_at_period_end` ends by time.

const ended: Stripe.Subscription.Status[] = ['canceled', 'incomplete_expired'];

export const subscriptionRoutes: Route[] = [
  retrieve('subscription', '/v1/subscriptions', 'subscription'),
  route(
    ['GET', '/v1/subscriptions'],
    'subscription',
    z.strictObject({ ...listed, customer: z.string().exactOptional(), status: z.string().exactOptional() }),
    (ledger, parameters) => {
      const { customer, status } = parameters;
      // Without a status Stripe leaves out canceled ones.
      const hasStatus = (one: Stripe.Subscription) =>
        status === 'all' ||
        (status === undefined
          ? one.status !== 'canceled'
          : status === 'ended'
            ? ended.includes(one.status)
            : one.status === status);
      const fitting = ledger
        .all('subscription')
        .reverse()
        .filter((one) => hasStatus(one) && (customer === undefined || one.customer === customer));
      return page(fitting, parameters, '/v1/subscriptions');
    },
  ),
  route(
    ['POST', '/v1/subscriptions/:id'],
    'subscription',
    z.strictObject({ ...expandable, cancel_at_period_end: toggle }),
    (ledger, { cancel_at_period_end }, id) => setCancelAtPeriodEnd(ledger, id, cancel_at_period_end),
  ),
  route(['DELETE', '/v1/subscriptions/:id'], 'subscription', z.strictObject(expandable), (ledger, _, id) =>
    endSubscription(ledger, id),
  ),
  retrieve('invoice', '/v1/invoices', 'invoice'),
  list('invoice', '/v1/invoices', 'invoice', {
    customer: ({ customer }) => customer,
    status: ({ status }) => status,
    subscription: ({ parent }) => parent?.subscription_details?.subscription,
  }),
  retrieve('invoice_payment', '/v1/invoice_payments', 'invoice'),
  route(
    ['GET', '/v1/invoice_payments'],
    'invoice',
    z.strictObject({
      ...listed,
      invoice: z.string().exactOptional(),
      payment: z
        .strictObject({ type: z.enum(['payment_intent']), payment_intent: z.string() })
        .exactOptional(),
      status: z.enum(['open', 'paid', 'canceled']).exactOptional(),
    }),
    (ledger, parameters) => {
      const { invoice, payment, status } = parameters;
      const fits = (one: Stripe.InvoicePayment) =>
        (invoice === undefined || one.invoice === invoice) &&
        (status === undefined || one.status === status) &&
        (payment === undefined || one.payment.payment_intent === payment.payment_intent);
      return page(ledger.all('invoice_payment').reverse().filter(fits), parameters, '/v1/invoice_payments');
    },
  ),
];

/** Creates a subscription with its first invoice. A trial has an invoice of 0, which is paid without a payment. */
export function subscribe(
  ledger: Ledger,
  price: PriceOf,
  {
    customer,
    email,
    metadata,
    method,
    trialDays = 0,
  }: Required<Pick<PaymentOf, 'email' | 'metadata'>> &
    Pick<PaymentOf, 'method'> & { customer: string; trialDays?: number | undefined },
): Stripe.Subscription {
  const start = ledger.now();
  const trial_end = trialDays > 0 ? start + trialDays * 86_400 : null;
  const period = {
    current_period_start: start,
    current_period_end: trial_end ?? addInterval(start, price.interval),
  };
  const status = trial_end ? 'trialing' : 'active';
  const base = ledger.base('subscription');
  const made = newSubscription(base, { customer, metadata, trial_end, status }, price, period);
  ledger.put('subscription', made);
  ledger.record('customer.subscription.created', made);
  invoice(ledger, made, {
    ...{ amount: trial_end ? 0 : price.amount, email, isFirst: true },
    ...(method ? { method } : {}),
  });
  return made;
}

/** Invoices the current period and charges it, if something is due. */
function invoice(
  ledger: Ledger,
  subscription: Stripe.Subscription,
  values: Pick<PaymentOf, 'amount' | 'email' | 'method'> & { isFirst: boolean; fails?: boolean },
): void {
  const { amount, email = null, method = 'card', isFirst, fails = false } = values;
  const isPaid = !fails && (method === 'card' || amount === 0);
  const now = ledger.now();
  // The period of an invoice is the one before: for the first it has no length.
  const period = isFirst ? { current_period_start: now, current_period_end: now } : previousOf(subscription);
  const base = ledger.base('invoice');
  const made = newInvoice(base, subscription, { amount, email, isFirst, isPaid }, period);
  ledger.put('invoice', made);
  subscription.latest_invoice = made.id;
  ledger.record('invoice.created', made);
  ledger.record('invoice.finalized', made);
  if (amount > 0 && !fails) pay(ledger, made, method);
  if (isPaid) recordPaid(ledger, made);
  else if (fails) ledger.record('invoice.payment_failed', made);
}

function pay(ledger: Ledger, made: Stripe.Invoice, method: 'card' | 'sepa'): void {
  const { amount_due: amount, currency, customer, customer_email: email } = made;
  const intent = charge(ledger, { amount, currency, customer: String(customer), email, method });
  const payment = newInvoicePayment(ledger.base('invoice_payment'), made, intent.id);
  ledger.put('invoice_payment', payment);
}

function recordPaid(ledger: Ledger, made: Stripe.Invoice): void {
  ledger.record('invoice.paid', made);
  ledger.record('invoice.payment_succeeded', made);
}

function markPaid(ledger: Ledger, made: Stripe.Invoice): void {
  Object.assign(made, { status: 'paid', amount_paid: made.amount_due, amount_remaining: 0 });
  Object.assign(made, { auto_advance: false, next_payment_attempt: null });
  made.status_transitions.paid_at = ledger.now();
  recordPaid(ledger, made);
}

/** Ends the payment of an invoice by a bank account. If it fails, the subscription is past due. */
export function endProcessingInvoice(ledger: Ledger, invoiceId: string, isPaid: boolean): void {
  const made = ledger.get('invoice', invoiceId);
  const payment = ledger.all('invoice_payment').find((one) => one.invoice === invoiceId);
  if (!payment) throw new Error(`${invoiceId} has no payment`);
  endProcessing(ledger, ledger.get('payment_intent', String(payment.payment.payment_intent)), isPaid);
  if (isPaid) {
    Object.assign(payment, { status: 'paid', amount_paid: made.amount_due });
    payment.status_transitions.paid_at = ledger.now();
    markPaid(ledger, made);
    return;
  }
  ledger.record('invoice.payment_failed', made);
  const { subscription: id } = made.parent?.subscription_details ?? {};
  const subscription = ledger.get('subscription', String(id));
  if (subscription.status === 'active' && subscription.latest_invoice === invoiceId)
    setStatus(ledger, subscription, 'past_due');
}

/** Begins the next period. If the payment `fails`, the subscription is past due. An invoice of 0 has no payment that could fail. */
export function renew(ledger: Ledger, id: string, options: { fails?: boolean } = {}): Stripe.Invoice {
  const subscription = ledger.get('subscription', id);
  if (!['active', 'trialing', 'past_due'].includes(subscription.status) || subscription.cancel_at_period_end)
    throw new Error(`${id} does not renew: ${subscription.status}`);
  const item = itemOf(subscription);
  item.current_period_start = item.current_period_end;
  item.current_period_end = addInterval(item.current_period_start, intervalOf(item));
  const before = ledger.get('customer', String(subscription.customer));
  const amount = item.price.unit_amount ?? 0;
  const fails = options.fails === true && amount > 0;
  subscription.status = fails ? 'past_due' : 'active';
  invoice(ledger, subscription, {
    amount,
    email: before.email,
    isFirst: false,
    fails,
  });
  ledger.record('customer.subscription.updated', subscription);
  return latestInvoice(ledger, subscription);
}

/** Pays the open invoice of a subscription that is past due, by another card. */
export function payLatestInvoice(ledger: Ledger, id: string): void {
  const subscription = ledger.get('subscription', id);
  const made = latestInvoice(ledger, subscription);
  if (made.status !== 'open') throw new Error(`${made.id} is ${made.status}`);
  pay(ledger, made, 'card');
  markPaid(ledger, made);
  const payment = ledger.all('invoice_payment').findLast((one) => one.invoice === made.id);
  if (payment) Object.assign(payment, { status: 'paid', amount_paid: made.amount_due });
  setStatus(ledger, subscription, 'active');
}

export function setStatus(
  ledger: Ledger,
  subscription: Stripe.Subscription,
  status: 'active' | 'past_due' | 'unpaid' | 'paused',
): void {
  const type =
    status === 'paused'
      ? 'paused'
      : subscription.status === 'paused' && status === 'active'
        ? 'resumed'
        : 'updated';
  subscription.status = status;
  ledger.record(`customer.subscription.${type}`, subscription);
}

export function setCancelAtPeriodEnd(ledger: Ledger, id: string, isOn: boolean): Stripe.Subscription {
  const subscription = ledger.get('subscription', id);
  requireRunning(subscription);
  const end = itemOf(subscription).current_period_end;
  subscription.cancel_at_period_end = isOn;
  Object.assign(subscription, { cancel_at: isOn ? end : null, canceled_at: isOn ? ledger.now() : null });
  ledger.record('customer.subscription.updated', subscription);
  const isDue = () => subscription.cancel_at === end && !ended.includes(subscription.status);
  if (isOn) ledger.at(end, () => isDue() && endSubscription(ledger, id));
  return subscription;
}

export function endSubscription(ledger: Ledger, id: string): Stripe.Subscription {
  const subscription = ledger.get('subscription', id);
  requireRunning(subscription);
  const now = ledger.now();
  Object.assign(subscription, {
    status: 'canceled',
    canceled_at: subscription.canceled_at ?? now,
    ended_at: now,
  });
  ledger.record('customer.subscription.deleted', subscription);
  return subscription;
}

function requireRunning({ id, status }: Stripe.Subscription): void {
  if (ended.includes(status))
    throw new StripeRefusal(404, `No such subscription: '${id}'`, { code: 'resource_missing', param: 'id' });
}

function itemOf(subscription: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = subscription.items.data;
  if (!item) throw new Error(`${subscription.id} has no item`);
  return item;
}

const latestInvoice = (ledger: Ledger, { latest_invoice }: Stripe.Subscription) =>
  ledger.get('invoice', String(latest_invoice));

const intervalOf = ({ price }: Stripe.SubscriptionItem) =>
  price.recurring?.interval === 'year' ? 'year' : 'month';

function previousOf(subscription: Stripe.Subscription): Period {
  const item = itemOf(subscription);
  const start = addInterval(item.current_period_start, intervalOf(item), -1);
  return { current_period_start: start, current_period_end: item.current_period_start };
}

/** Adds months or years, and returns the last day of a shorter month. In seconds. */
function addInterval(seconds: number, interval: 'month' | 'year', times = 1): number {
  const from = new Date(seconds * 1_000);
  const to = new Date(from);
  to.setUTCMonth(to.getUTCMonth() + times * (interval === 'year' ? 12 : 1));
  if (to.getUTCDate() !== from.getUTCDate()) to.setUTCDate(0);
  return to.getTime() / 1_000;
}
