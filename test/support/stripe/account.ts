import { Stripe } from 'stripe';
import { z } from 'zod';
import { type Ledger, newText } from './ledger.ts';
import { newProduct, newWebhookEndpoint } from './objects.ts';
import { expandable, link, listed, metadata, text, toggle } from './parameters.ts';
import { noSuch, StripeRefusal } from './refusal.ts';
import { list, page, type Route, retrieve, route } from './routes.ts';

// Endpoints for connecting an account: account, products, customers' portal, webhook endpoints and events.

const enabled = z.strictObject({ enabled: toggle });

const features = z.strictObject({
  customer_update: enabled
    .extend({ allowed_updates: z.union([z.literal(''), z.array(text)]).exactOptional() })
    .exactOptional(),
  invoice_history: enabled.exactOptional(),
  payment_method_update: enabled.exactOptional(),
  subscription_cancel: enabled
    .extend({
      mode: z.enum(['at_period_end', 'immediately']).exactOptional(),
      proration_behavior: z.enum(['always_invoice', 'create_prorations', 'none']).exactOptional(),
      cancellation_reason: enabled.extend({ options: z.array(text) }).exactOptional(),
    })
    .exactOptional(),
  subscription_update: enabled
    .extend({
      default_allowed_updates: z.union([z.literal(''), z.array(text)]).exactOptional(),
      products: z.union([z.literal('')]).exactOptional(),
    })
    .exactOptional(),
});

const configuration = {
  ...expandable,
  business_profile: z
    .strictObject({
      headline: z.string().max(60).exactOptional(),
      privacy_policy_url: link.exactOptional(),
      terms_of_service_url: link.exactOptional(),
    })
    .exactOptional(),
  default_return_url: z.union([link, z.literal('')]).exactOptional(),
  login_page: enabled.exactOptional(),
  metadata: metadata.exactOptional(),
  name: text.exactOptional(),
};

const createConfiguration = z.strictObject({
  ...configuration,
  features,
}) satisfies z.ZodType<Stripe.BillingPortal.ConfigurationCreateParams>;

const updateConfiguration = z.strictObject({
  ...configuration,
  features: features.exactOptional(),
  active: toggle.exactOptional(),
}) satisfies z.ZodType<Stripe.BillingPortal.ConfigurationUpdateParams>;

const product = {
  ...expandable,
  active: toggle.exactOptional(),
  description: text.exactOptional(),
  metadata: metadata.exactOptional(),
  tax_code: text.exactOptional(),
  url: link.exactOptional(),
};

const createProduct = z.strictObject({
  ...product,
  name: text.min(1),
}) satisfies z.ZodType<Stripe.ProductCreateParams>;

const eventName = z.custom<Stripe.WebhookEndpointCreateParams.EnabledEvent>(
  (name) => typeof name === 'string' && /^(\*|[a-z_]+(\.[a-z_]+)+)$/.test(name),
);

const endpoint = {
  ...expandable,
  description: text.exactOptional(),
  metadata: metadata.exactOptional(),
};

const createEndpoint = z.strictObject({
  ...endpoint,
  api_version: z.literal(Stripe.API_VERSION).exactOptional(),
  enabled_events: z.array(eventName).min(1),
  url: link,
}) satisfies z.ZodType<Stripe.WebhookEndpointCreateParams>;

const updateEndpoint = z.strictObject({
  ...endpoint,
  disabled: toggle.exactOptional(),
  enabled_events: z.array(eventName).min(1).exactOptional(),
  url: link.exactOptional(),
}) satisfies z.ZodType<Stripe.WebhookEndpointUpdateParams>;

/** Stripe allows 16 endpoints for each mode of an account. */
const maxEndpoints = 16;

export const accountRoutes: Route[] = [
  route(['GET', '/v1/account'], 'account', z.strictObject(expandable), (ledger) =>
    ledger.get('account', ledger.accountId),
  ),
  retrieve('product', '/v1/products', 'product'),
  list('product', '/v1/products', 'product', {}),
  route(['POST', '/v1/products'], 'product', createProduct, (ledger, { expand: _, ...values }) =>
    ledger.put('product', { ...newProduct(ledger.base('product'), values), ...values }),
  ),
  route(
    ['POST', '/v1/products/:id'],
    'product',
    z.strictObject({ ...product, name: text.min(1).exactOptional() }),
    (ledger, { expand: _, ...values }, id) =>
      Object.assign(ledger.get('product', id), { ...values, updated: ledger.now() }),
  ),
  retrieve('customer', '/v1/customers', 'customer'),
  list('customer', '/v1/customers', 'customer', { email: ({ email }) => email }),
  retrieve('billing_portal.configuration', '/v1/billing_portal/configurations', 'customer_portal'),
  list('billing_portal.configuration', '/v1/billing_portal/configurations', 'customer_portal', {}),
  route(
    ['POST', '/v1/billing_portal/configurations'],
    'customer_portal',
    createConfiguration,
    (ledger, values) => ledger.put('billing_portal.configuration', newConfiguration(ledger, values)),
  ),
  route(
    ['POST', '/v1/billing_portal/configurations/:id'],
    'customer_portal',
    updateConfiguration,
    (ledger, { features: changed, ...values }, id) => {
      const made = ledger.get('billing_portal.configuration', id);
      const { active = made.active, name = made.name, metadata: notes = made.metadata } = values;
      Object.assign(made, { active, name, metadata: notes, updated: ledger.now() });
      if (changed) made.features = featuresOf(changed);
      return made;
    },
  ),
  route(
    ['POST', '/v1/billing_portal/sessions'],
    'customer_portal',
    z.strictObject({
      ...expandable,
      configuration: text.exactOptional(),
      customer: text,
      locale: text.exactOptional(),
      return_url: link.exactOptional(),
    }) satisfies z.ZodType<Stripe.BillingPortal.SessionCreateParams>,
    openPortal,
  ),
  retrieve('webhook_endpoint', '/v1/webhook_endpoints', 'webhook'),
  list('webhook_endpoint', '/v1/webhook_endpoints', 'webhook', {}),
  route(['POST', '/v1/webhook_endpoints'], 'webhook', createEndpoint, (ledger, values) => {
    if (ledger.all('webhook_endpoint').length >= maxEndpoints)
      throw new StripeRefusal(400, `You have reached the maximum of ${maxEndpoints} webhook endpoints.`);
    const { api_version = null, description = null, metadata: notes = {}, enabled_events, url } = values;
    const fields = { api_version, description, metadata: notes, enabled_events, url };
    const made = ledger.put('webhook_endpoint', newWebhookEndpoint(ledger.base('webhook_endpoint'), fields));
    const secret = `whsec_${newText(32)}`;
    secrets.set(made, secret);
    // The secret is shown once.
    return { ...made, secret };
  }),
  route(['POST', '/v1/webhook_endpoints/:id'], 'webhook', updateEndpoint, (ledger, values, id) => {
    const { disabled, expand: _, ...fields } = values;
    const made = Object.assign(ledger.get('webhook_endpoint', id), fields);
    if (disabled !== undefined) made.status = disabled ? 'disabled' : 'enabled';
    return made;
  }),
  route(['DELETE', '/v1/webhook_endpoints/:id'], 'webhook', z.strictObject(expandable), (ledger, _, id) => {
    ledger.get('webhook_endpoint', id);
    ledger.objects.webhook_endpoint.delete(id);
    return { id, object: 'webhook_endpoint', deleted: true };
  }),
  route(
    ['GET', '/v1/events'],
    'event',
    z.strictObject({
      ...listed,
      type: text.exactOptional(),
      types: z.array(text).max(20).exactOptional(),
      delivery_success: toggle.exactOptional(),
    }) satisfies z.ZodType<Stripe.EventListParams>,
    (ledger, parameters) => {
      const types = parameters.types ?? (parameters.type ? [parameters.type] : null);
      const events = ledger.recentEvents().filter(({ type }) => !types || types.includes(type));
      return page(events, parameters, '/v1/events');
    },
  ),
  route(['GET', '/v1/events/:id'], 'event', z.strictObject(expandable), (ledger, _, id) => {
    const event = ledger.recentEvents().find((one) => one.id === id);
    if (!event) throw noSuch('event', id);
    return event;
  }),
];

/** Signing secrets of endpoints. */
export const secrets = new WeakMap<Stripe.WebhookEndpoint, string>();

function newConfiguration(
  ledger: Ledger,
  values: z.infer<typeof createConfiguration>,
): Stripe.BillingPortal.Configuration {
  const base = ledger.base('billing_portal.configuration');
  const { business_profile: business, login_page, default_return_url, metadata: notes, name } = values;
  return {
    ...{ ...base, object: 'billing_portal.configuration', active: true, application: null },
    business_profile: {
      headline: business?.headline ?? null,
      privacy_policy_url: business?.privacy_policy_url ?? null,
      terms_of_service_url: business?.terms_of_service_url ?? null,
    },
    default_return_url: default_return_url || null,
    features: featuresOf(values.features),
    is_default: false,
    login_page: { enabled: login_page?.enabled ?? false, url: null },
    ...{ metadata: notes ?? {}, name: name ?? null, updated: base.created },
  };
}

const featuresOf = (given: z.infer<typeof features>): Stripe.BillingPortal.Configuration.Features => ({
  customer_update: {
    allowed_updates: given.customer_update?.allowed_updates || [],
    enabled: given.customer_update?.enabled ?? false,
  },
  invoice_history: { enabled: given.invoice_history?.enabled ?? false },
  payment_method_update: {
    ...{ enabled: given.payment_method_update?.enabled ?? false, payment_method_configuration: null },
  },
  subscription_cancel: {
    cancellation_reason: {
      enabled: given.subscription_cancel?.cancellation_reason?.enabled ?? false,
      ...{ feedback_options: null, options: given.subscription_cancel?.cancellation_reason?.options ?? [] },
    },
    enabled: given.subscription_cancel?.enabled ?? false,
    mode: given.subscription_cancel?.mode ?? 'at_period_end',
    proration_behavior: given.subscription_cancel?.proration_behavior ?? 'none',
  },
  subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
  subscription_update: {
    billing_cycle_anchor: null,
    default_allowed_updates: given.subscription_update?.default_allowed_updates || [],
    enabled: given.subscription_update?.enabled ?? false,
    ...{ products: null, proration_behavior: 'none', schedule_at_period_end: { conditions: [] } },
    trial_update_behavior: 'end_trial',
  },
});

function openPortal(
  ledger: Ledger,
  values: { configuration?: string; customer: string; locale?: string; return_url?: string },
): Stripe.BillingPortal.Session {
  const { customer, configuration: id, locale = null, return_url = null } = values;
  const missing = { code: 'resource_missing', param: 'customer' };
  const isThere = ledger.objects.customer.has(customer);
  if (!isThere) throw new StripeRefusal(400, `No such customer: '${customer}'`, missing);
  if (id === undefined)
    throw new StripeRefusal(400, 'No configuration provided and no default configuration exists.');
  const { active } = ledger.get('billing_portal.configuration', id);
  if (!active) throw new StripeRefusal(400, `The configuration ${id} is not active.`);
  const session = `bps_${newText(24)}`;
  return {
    ...{ id: session, object: 'billing_portal.session', configuration: id, created: ledger.now(), customer },
    ...{ customer_account: null, flow: null, livemode: ledger.livemode, locale, on_behalf_of: null },
    ...{ return_url, url: `https://billing.stripe.com/p/session/${session}` },
  };
}
