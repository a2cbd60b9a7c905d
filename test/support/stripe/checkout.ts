import type { Stripe } from 'stripe';
import { z } from 'zod';
import { type Ledger, newText } from './ledger.ts';
import { address, currency, expandable, integer, link, metadata, text, toggle } from './parameters.ts';
import { StripeRefusal } from './refusal.ts';
import { list, type Route, retrieve, route } from './routes.ts';

const message = z.strictObject({ message: z.string().max(1_200) });

const create = z.strictObject({
  ...expandable,
  adaptive_pricing: z.strictObject({ enabled: toggle }).exactOptional(),
  allow_promotion_codes: toggle.exactOptional(),
  automatic_tax: z.strictObject({ enabled: toggle }).exactOptional(),
  billing_address_collection: z.enum(['auto', 'required']).exactOptional(),
  cancel_url: link.exactOptional(),
  client_reference_id: z.string().max(200).exactOptional(),
  consent_collection: z.strictObject({ terms_of_service: z.enum(['none', 'required']) }).exactOptional(),
  custom_text: z
    .strictObject({
      after_submit: message.exactOptional(),
      submit: message.exactOptional(),
      terms_of_service_acceptance: message.exactOptional(),
    })
    .exactOptional(),
  customer: text.exactOptional(),
  customer_creation: z.enum(['always', 'if_required']).exactOptional(),
  customer_email: address.max(800).exactOptional(),
  expires_at: integer.exactOptional(),
  line_items: z.array(
    z.strictObject({
      price_data: z.strictObject({
        currency,
        product: text.exactOptional(),
        product_data: z
          .strictObject({
            name: text.min(1),
            description: text.exactOptional(),
            metadata: metadata.exactOptional(),
          })
          .exactOptional(),
        recurring: z
          .strictObject({ interval: z.enum(['month', 'year']), interval_count: integer.exactOptional() })
          .exactOptional(),
        tax_behavior: z.enum(['exclusive', 'inclusive', 'unspecified']).exactOptional(),
        unit_amount: integer,
      }),
      quantity: integer,
    }),
  ),
  locale: z.string().exactOptional(),
  metadata: metadata.exactOptional(),
  mode: z.enum(['payment', 'subscription']),
  payment_intent_data: z
    .strictObject({
      description: text.exactOptional(),
      metadata: metadata.exactOptional(),
      receipt_email: address.exactOptional(),
      statement_descriptor_suffix: text.exactOptional(),
    })
    .exactOptional(),
  payment_method_collection: z.enum(['always', 'if_required']).exactOptional(),
  submit_type: z.enum(['auto', 'book', 'donate', 'pay', 'subscribe']).exactOptional(),
  subscription_data: z
    .strictObject({
      description: z.string().max(500).exactOptional(),
      metadata: metadata.exactOptional(),
      trial_period_days: integer.pipe(z.number().min(1).max(730)).exactOptional(),
    })
    .exactOptional(),
  success_url: link,
  tax_id_collection: z.strictObject({ enabled: toggle }).exactOptional(),
  ui_mode: z.enum(['hosted_page']).exactOptional(),
}) satisfies z.ZodType<Stripe.Checkout.SessionCreateParams>;

export type CreateSession = z.infer<typeof create>;

/** Parameters of each session, which its object does not show. */
const parametersOf = new WeakMap<Stripe.Checkout.Session, CreateSession>();

export function getParameters(session: Stripe.Checkout.Session): CreateSession {
  const parameters = parametersOf.get(session);
  if (!parameters) throw new Error(`not created by the stand-in: ${session.id}`);
  return parameters;
}

/** Languages of Checkout. */
const locales = new Set(
  (
    'auto bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk ' +
    'sl sv th tr vi zh zh-HK zh-TW'
  ).split(' '),
);

export const checkoutRoutes: Route[] = [
  route(['POST', '/v1/checkout/sessions'], 'checkout_session', create, createSession),
  retrieve('checkout.session', '/v1/checkout/sessions', 'checkout_session'),
  route(
    ['POST', '/v1/checkout/sessions/:id/expire'],
    'checkout_session',
    z.strictObject(expandable),
    (ledger, _, id) => expireSession(ledger, ledger.get('checkout.session', id)),
  ),
  list('checkout.session', '/v1/checkout/sessions', 'checkout_session', {
    customer: ({ customer }) => customer,
    payment_intent: ({ payment_intent }) => payment_intent,
    status: ({ status }) => status,
    subscription: ({ subscription }) => subscription,
  }),
];

function createSession(ledger: Ledger, parameters: CreateSession): Stripe.Checkout.Session {
  requireConsistent(ledger, parameters);
  const { mode, line_items, automatic_tax: tax, custom_text: notes, customer = null } = parameters;
  const base = ledger.base('checkout.session');
  const total = line_items.reduce((sum, item) => sum + item.price_data.unit_amount * item.quantity, 0);
  const session: Stripe.Checkout.Session = {
    ...{ ...base, object: 'checkout.session', after_expiration: null, allowed_payment_method_types: null },
    adaptive_pricing: { enabled: parameters.adaptive_pricing?.enabled ?? true },
    allow_promotion_codes: parameters.allow_promotion_codes ?? null,
    ...{ amount_subtotal: total, amount_total: total },
    automatic_tax: {
      ...{ enabled: tax?.enabled ?? false, liability: null, provider: tax?.enabled ? 'stripe' : null },
      status: tax?.enabled ? 'requires_location_inputs' : null,
    },
    ...{ billing_address_collection: parameters.billing_address_collection ?? null },
    ...{ cancel_url: parameters.cancel_url ?? null, success_url: parameters.success_url },
    client_reference_id: parameters.client_reference_id ?? null,
    ...{ client_secret: null, collected_information: null, consent: null, consent_collection: null },
    ...{ currency: line_items[0]?.price_data.currency ?? null, currency_conversion: null, custom_fields: [] },
    custom_text: {
      ...{ after_submit: notes?.after_submit ?? null, shipping_address: null, submit: notes?.submit ?? null },
      terms_of_service_acceptance: notes?.terms_of_service_acceptance ?? null,
    },
    ...{ customer, customer_account: null, customer_details: null, discounts: [] },
    customer_creation: mode === 'payment' ? (parameters.customer_creation ?? 'if_required') : null,
    customer_email: parameters.customer_email ?? null,
    expires_at: parameters.expires_at ?? base.created + 86_400,
    ...{ integration_identifier: null, invoice: null, invoice_creation: null, managed_payments: null },
    ...{ locale: parameters.locale ?? null, metadata: parameters.metadata ?? {}, mode, origin_context: null },
    ...{ payment_intent: null, payment_link: null, payment_method_configuration_details: null },
    payment_method_collection:
      mode === 'subscription' ? (parameters.payment_method_collection ?? 'always') : null,
    ...{ payment_method_options: {}, payment_method_types: ['card', 'sepa_debit'], payment_status: 'unpaid' },
    ...{ permissions: null, recovered_from: null, saved_payment_method_options: null, setup_intent: null },
    ...{ shipping_address_collection: null, shipping_cost: null, shipping_options: [], status: 'open' },
    ...{ submit_type: parameters.submit_type ?? null, subscription: null, ui_mode: 'hosted_page' },
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ...{ url: `https://checkout.stripe.com/c/pay/${base.id}#${newText(40)}`, wallet_options: null },
  };
  parametersOf.set(session, parameters);
  ledger.at(session.expires_at, () => session.status === 'open' && expireSession(ledger, session));
  return ledger.put('checkout.session', session);
}

/** Refuses what Stripe refuses although each parameter is valid by itself. */
function requireConsistent(ledger: Ledger, parameters: CreateSession): void {
  const refuse = (param: string, reason: string) => {
    throw new StripeRefusal(400, reason, { code: 'parameter_invalid', param });
  };
  const { mode, line_items, expires_at, locale = 'auto', customer, customer_email } = parameters;
  const isPayment = mode === 'payment';
  const foreign = isPayment
    ? (['subscription_data', 'payment_method_collection'] as const)
    : (['payment_intent_data', 'customer_creation', 'submit_type'] as const);
  for (const name of foreign)
    if (parameters[name] !== undefined) refuse(name, `You can not pass \`${name}\` in \`${mode}\` mode.`);
  if (customer && customer_email)
    refuse('customer_email', 'You may only specify one of these parameters: customer, customer_email.');
  if (customer) ledger.get('customer', customer);
  if (!locales.has(locale)) refuse('locale', `Invalid locale: ${locale}`);
  const now = ledger.now();
  if (expires_at !== undefined && (expires_at < now + 1_800 || expires_at > now + 86_400))
    refuse(
      'expires_at',
      'The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from Checkout Session creation.',
    );
  for (const { price_data } of line_items) {
    if (Boolean(price_data.product) === Boolean(price_data.product_data))
      refuse('line_items[0][price_data]', 'You must provide one of `product` or `product_data`.');
    if (price_data.product) ledger.get('product', price_data.product);
    if (isPayment === Boolean(price_data.recurring))
      refuse(
        'line_items[0][price_data][recurring]',
        `In \`${mode}\` mode, prices must ${isPayment ? 'not ' : ''}be recurring.`,
      );
    requireAmount(price_data);
  }
}

const threeDecimals = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);
const wholeOfTwoDecimals = new Set(['isk', 'ugx']);

/** Refuses amounts that Stripe cannot charge: they end in zeros in some currencies. */
function requireAmount({
  currency: name,
  unit_amount,
}: CreateSession['line_items'][number]['price_data']): void {
  const unit = threeDecimals.has(name) ? 10 : wholeOfTwoDecimals.has(name) ? 100 : 1;
  const param = 'line_items[0][price_data][unit_amount]';
  if (unit_amount < 0 || unit_amount > 99_999_999)
    throw new StripeRefusal(400, `Invalid amount: ${unit_amount}`, { code: 'amount_too_large', param });
  if (unit_amount % unit !== 0)
    throw new StripeRefusal(400, `Invalid amount for ${name}: ${unit_amount}`, {
      code: 'parameter_invalid',
      param,
    });
}

function expireSession(ledger: Ledger, session: Stripe.Checkout.Session): Stripe.Checkout.Session {
  if (session.status !== 'open')
    throw new StripeRefusal(
      400,
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}`,
    );
  Object.assign(session, { status: 'expired', url: null });
  ledger.record('checkout.session.expired', session);
  return session;
}
