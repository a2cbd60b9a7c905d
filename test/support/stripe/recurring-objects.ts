import { Stripe } from 'stripe';
import type { Base } from './objects.ts';

// Objects of recurring payments. The period is a field of the subscription's item, not of the subscription.

export interface PriceOf {
  amount: number;
  currency: string;
  interval: 'month' | 'year';
  product: string;
}

export interface Period {
  current_period_start: number;
  current_period_end: number;
}

export function newSubscription(
  base: Base,
  values: Pick<Stripe.Subscription, 'customer' | 'metadata' | 'trial_end'> & {
    status: Stripe.Subscription.Status;
  },
  price: PriceOf,
  period: Period,
): Stripe.Subscription {
  const { id, created } = base;
  return {
    ...{ ...base, object: 'subscription', application: null, application_fee_percent: null },
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    ...{ billing_cycle_anchor: values.trial_end ?? created, billing_cycle_anchor_config: null },
    ...{
      billing_mode: { flexible: null, type: 'flexible' },
      billing_schedules: [],
      billing_thresholds: null,
    },
    ...{ cancel_at: null, cancel_at_period_end: false, canceled_at: null, cancellation_details: null },
    ...{ collection_method: 'charge_automatically', currency: price.currency, customer_account: null },
    ...{ days_until_due: null, default_payment_method: null, default_source: null, default_tax_rates: [] },
    ...{ description: null, discounts: [], ended_at: null },
    invoice_settings: {
      ...{ account_tax_ids: null, custom_fields: null, description: null, footer: null },
      issuer: { type: 'self' },
    },
    items: {
      object: 'list',
      data: [newItem(base, price, period)],
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    ...{ latest_invoice: null, managed_payments: null, next_pending_invoice_item_invoice: null },
    ...{ on_behalf_of: null, pause_collection: null, payment_settings: null },
    ...{ pending_invoice_item_interval: null, pending_setup_intent: null, pending_update: null },
    ...{ schedule: null, start_date: created, test_clock: null, transfer_data: null },
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' },
    },
    trial_start: values.trial_end ? created : null,
    ...values,
  };
}

function newItem(base: Base, price: PriceOf, period: Period): Stripe.SubscriptionItem {
  const { created, livemode } = base;
  const id = base.id.replace('sub', 'si');
  const shared = {
    ...{ active: true, billing_scheme: 'per_unit', created, currency: price.currency, livemode },
    ...{ nickname: null, product: price.product, tiers_mode: null },
  };
  const exact = Stripe.Decimal.from(price.amount);
  const cycle = { interval: price.interval, interval_count: 1, meter: null, trial_period_days: null };
  const priceId = base.id.replace('sub', 'price');
  return {
    ...{ id, object: 'subscription_item', billing_thresholds: null, created, ...period, current_trial: null },
    ...{ discounts: [], metadata: {}, quantity: 1, subscription: base.id, tax_rates: [] },
    plan: {
      ...{ ...shared, ...cycle, id: priceId, object: 'plan', amount: price.amount, amount_decimal: exact },
      ...{ metadata: {}, transform_usage: null, usage_type: 'licensed' },
    },
    price: {
      ...{
        ...shared,
        id: priceId,
        object: 'price',
        custom_unit_amount: null,
        lookup_key: null,
        metadata: {},
      },
      ...{ recurring: { ...cycle, usage_type: 'licensed' }, tax_behavior: 'inclusive' },
      ...{
        transform_quantity: null,
        type: 'recurring',
        unit_amount: price.amount,
        unit_amount_decimal: exact,
      },
    },
  };
}

export function newInvoice(
  base: Base,
  subscription: Stripe.Subscription,
  values: { amount: number; email: string | null; isFirst: boolean; isPaid: boolean },
  period: Period,
): Stripe.Invoice {
  const { created } = base;
  const { amount, email, isFirst, isPaid } = values;
  return {
    ...{ ...base, object: 'invoice', account_country: 'DE', account_name: null, account_tax_ids: null },
    ...{ amount_due: amount, amount_overpaid: 0, amount_paid: isPaid ? amount : 0 },
    ...{ amount_remaining: isPaid ? 0 : amount, amount_shipping: 0, application: null },
    ...{ attempt_count: 1, attempted: true, auto_advance: !isPaid },
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    ...{
      automatically_finalizes_at: null,
      billing_reason: isFirst ? 'subscription_create' : 'subscription_cycle',
    },
    ...{ collection_method: 'charge_automatically', currency: subscription.currency, custom_fields: null },
    ...{ customer: subscription.customer, customer_account: null, customer_address: null },
    ...{ customer_email: email, customer_name: null, customer_phone: null, customer_shipping: null },
    ...{ customer_tax_exempt: 'none', customer_tax_ids: [], default_payment_method: null },
    ...{ default_source: null, default_tax_rates: [], description: null, discounts: [], due_date: null },
    ...{ effective_at: created, ending_balance: 0, footer: null, from_invoice: null },
    ...{ hosted_invoice_url: `https://invoice.stripe.com/i/${base.id}`, invoice_pdf: null },
    ...{ issuer: { type: 'self' }, last_finalization_error: null, latest_revision: null },
    lines: { object: 'list', data: [], has_more: false, url: `/v1/invoices/${base.id}/lines` },
    ...{ metadata: {}, next_payment_attempt: isPaid ? null : created + 3 * 86_400, number: null },
    on_behalf_of: null,
    parent: {
      ...{ quote_details: null, type: 'subscription_details' },
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    ...{ period_end: period.current_period_end, period_start: period.current_period_start },
    ...{ post_payment_credit_notes_amount: 0, pre_payment_credit_notes_amount: 0, receipt_number: null },
    ...{ rendering: null, shipping_cost: null, shipping_details: null, starting_balance: 0 },
    ...{ statement_descriptor: null, status: isPaid ? 'paid' : 'open' },
    status_transitions: {
      ...{ finalized_at: created, marked_uncollectible_at: null, paid_at: isPaid ? created : null },
      voided_at: null,
    },
    ...{ subtotal: amount, subtotal_excluding_tax: amount, test_clock: null, total: amount },
    ...{ total_discount_amounts: [], total_excluding_tax: amount, total_pretax_credit_amounts: [] },
    ...{ total_taxes: [], webhooks_delivered_at: null },
  };
}

export const newInvoicePayment = (
  base: Base,
  invoice: Stripe.Invoice,
  payment_intent: string,
): Stripe.InvoicePayment => {
  const isPaid = invoice.status === 'paid';
  return {
    ...{ ...base, object: 'invoice_payment', amount_paid: isPaid ? invoice.amount_due : null },
    ...{ amount_requested: invoice.amount_due, currency: invoice.currency, invoice: invoice.id },
    ...{ is_default: true, payment: { payment_intent, type: 'payment_intent' } },
    status: isPaid ? 'paid' : 'open',
    status_transitions: { canceled_at: null, paid_at: isPaid ? base.created : null },
  };
};
