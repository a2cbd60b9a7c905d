import type { Stripe } from 'stripe';

// Objects as Stripe returns them in the API version that the package pins. Nothing is expanded: references are ids.

/** Kinds of objects by Stripe's name, which is also the field `object`. */
export interface Kinds {
  account: Stripe.Account;
  product: Stripe.Product;
  'checkout.session': Stripe.Checkout.Session;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  customer: Stripe.Customer;
  subscription: Stripe.Subscription;
  invoice: Stripe.Invoice;
  invoice_payment: Stripe.InvoicePayment;
  'billing_portal.configuration': Stripe.BillingPortal.Configuration;
  webhook_endpoint: Stripe.WebhookEndpoint;
}

export type Kind = keyof Kinds;

/** Prefix of the ids of each kind. */
export const prefixes = {
  account: 'acct',
  product: 'prod',
  'checkout.session': 'cs',
  payment_intent: 'pi',
  charge: 'ch',
  refund: 're',
  dispute: 'du',
  customer: 'cus',
  subscription: 'sub',
  invoice: 'in',
  invoice_payment: 'inpay',
  'billing_portal.configuration': 'bpc',
  webhook_endpoint: 'we',
} as const satisfies Record<Kind, string>;

/** Fields that every object has. */
export interface Base {
  id: string;
  /** Creation time in seconds. */
  created: number;
  livemode: boolean;
}

export const newAccount = (base: Base, name: string): Stripe.Account => ({
  ...{ id: base.id, object: 'account', created: base.created, type: 'standard', email: null, country: 'DE' },
  ...{ charges_enabled: true, payouts_enabled: true, details_submitted: true, default_currency: 'eur' },
  business_profile: {
    ...{ name, mcc: null, minority_owned_business_designation: null, url: null },
    ...{ specified_commercial_transactions_act_url: null, support_address: null },
    ...{ support_email: null, support_phone: null, support_url: null },
  },
  settings: {
    branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
    card_payments: {
      statement_descriptor_prefix: null,
      ...{ statement_descriptor_prefix_kana: null, statement_descriptor_prefix_kanji: null },
    },
    dashboard: { display_name: name, timezone: 'Etc/UTC' },
    payments: {
      ...{ statement_descriptor: null, statement_descriptor_kana: null, statement_descriptor_kanji: null },
      ...{ statement_descriptor_prefix_kana: null, statement_descriptor_prefix_kanji: null },
    },
  },
});

export const newProduct = (base: Base, values: Pick<Stripe.Product, 'name'>): Stripe.Product => ({
  ...{ ...base, object: 'product', active: true, default_price: null, description: null, images: [] },
  ...{ marketing_features: [], metadata: {}, package_dimensions: null, shippable: null, tax_code: null },
  ...{ statement_descriptor: null, tax_details: null, type: 'service', unit_label: null, url: null },
  updated: base.created,
  ...values,
});

/** Payment with its status; `metadata` is what the session's `payment_intent_data` says. */
export const newPaymentIntent = (
  base: Base,
  values: Pick<
    Stripe.PaymentIntent,
    'amount' | 'currency' | 'customer' | 'metadata' | 'receipt_email' | 'status'
  > & {
    payment_method_types: string[];
  },
): Stripe.PaymentIntent => ({
  ...{ ...base, object: 'payment_intent', allowed_payment_method_types: null, amount_capturable: 0 },
  ...{ amount_received: values.status === 'succeeded' ? values.amount : 0, application: null },
  ...{ application_fee_amount: null, automatic_payment_methods: null, canceled_at: null },
  ...{ cancellation_reason: null, capture_method: 'automatic_async', confirmation_method: 'automatic' },
  ...{ client_secret: null, customer_account: null, description: null, excluded_payment_method_types: null },
  ...{ last_payment_error: null, latest_charge: null, managed_payments: null, next_action: null },
  ...{ on_behalf_of: null, payment_method: null, payment_method_configuration_details: null },
  ...{ payment_method_options: {}, payment_record: null, processing: null, review: null },
  ...{ setup_future_usage: null, shipping: null, source: null, statement_descriptor: null },
  ...{ statement_descriptor_suffix: null, transfer_data: null, transfer_group: null },
  ...values,
});

export const newCharge = (
  base: Base,
  values: Pick<
    Stripe.Charge,
    'amount' | 'currency' | 'customer' | 'metadata' | 'payment_intent' | 'receipt_email'
  > & { status: 'succeeded' | 'pending' | 'failed'; email: string | null },
): Stripe.Charge => {
  const { email, ...fields } = values;
  const isPaid = values.status === 'succeeded';
  return {
    ...{ ...base, object: 'charge', amount_captured: isPaid ? values.amount : 0, amount_refunded: 0 },
    ...{ application: null, application_fee: null, application_fee_amount: null, balance_transaction: null },
    billing_details: { address: null, email, name: null, phone: null, tax_id: null },
    ...{ calculated_statement_descriptor: null, captured: isPaid, description: null, disputed: false },
    ...{ failure_balance_transaction: null, failure_code: null, failure_message: null, fraud_details: {} },
    ...{
      on_behalf_of: null,
      outcome: null,
      paid: isPaid,
      payment_method: null,
      payment_method_details: null,
    },
    ...{ receipt_number: null, receipt_url: `https://pay.stripe.com/receipts/payment/${base.id}` },
    ...{ refunded: false, review: null, shipping: null, source: null, source_transfer: null },
    ...{ statement_descriptor: null, statement_descriptor_suffix: null, transfer_data: null },
    transfer_group: null,
    ...fields,
  };
};

export const newRefund = ({ id, created }: Base, charge: Stripe.Charge, amount: number): Stripe.Refund => ({
  ...{ id, created, object: 'refund', amount, balance_transaction: null, charge: charge.id },
  ...{ currency: charge.currency, customer: charge.customer, customer_account: null, metadata: {} },
  ...{ payment_intent: charge.payment_intent, payment_method: null, reason: 'requested_by_customer' },
  ...{ receipt_number: null, source_transfer_reversal: null, status: 'succeeded', transfer_reversal: null },
});

export const newDispute = (base: Base, charge: Stripe.Charge, isInquiry: boolean): Stripe.Dispute => ({
  ...{ ...base, object: 'dispute', amount: charge.amount, balance_transactions: [], charge: charge.id },
  ...{ currency: charge.currency, enhanced_eligibility_types: [], evidence: noEvidence },
  evidence_details: {
    ...{ due_by: base.created + 7 * 86_400, enhanced_eligibility: {}, has_evidence: false },
    ...{ past_due: false, submission_count: 0, submission_method: 'not_submitted' },
  },
  ...{ intended_submission_method: null, is_charge_refundable: isInquiry, metadata: {} },
  ...{ payment_intent: charge.payment_intent, reason: 'fraudulent' },
  status: isInquiry ? 'warning_needs_response' : 'needs_response',
});

const noEvidence: Stripe.Dispute.Evidence = {
  ...{ access_activity_log: null, billing_address: null, cancellation_policy: null },
  ...{ cancellation_policy_disclosure: null, cancellation_rebuttal: null, customer_communication: null },
  ...{ customer_email_address: null, customer_name: null, customer_purchase_ip: null },
  ...{ customer_signature: null, duplicate_charge_documentation: null, duplicate_charge_explanation: null },
  ...{ duplicate_charge_id: null, enhanced_evidence: {}, product_description: null, receipt: null },
  ...{ refund_policy: null, refund_policy_disclosure: null, refund_refusal_explanation: null },
  ...{ service_date: null, service_documentation: null, shipping_address: null, shipping_carrier: null },
  ...{ shipping_date: null, shipping_documentation: null, shipping_tracking_number: null },
  ...{ uncategorized_file: null, uncategorized_text: null },
};

export const newCustomer = (base: Base, email: string): Stripe.Customer => ({
  ...{ ...base, object: 'customer', address: null, balance: 0, currency: null, default_source: null },
  ...{ delinquent: false, description: null, email, metadata: {}, name: null, phone: null, shipping: null },
  invoice_settings: {
    ...{ custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
  },
  ...{ preferred_locales: [], tax_exempt: 'none', test_clock: null },
});

export const newWebhookEndpoint = (
  base: Base,
  values: Pick<Stripe.WebhookEndpoint, 'api_version' | 'description' | 'enabled_events' | 'metadata' | 'url'>,
): Stripe.WebhookEndpoint => ({
  ...base,
  ...{ object: 'webhook_endpoint', application: null, status: 'enabled' },
  ...values,
});
