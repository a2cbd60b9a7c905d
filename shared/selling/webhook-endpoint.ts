import type { Stripe } from 'stripe';

/** Names of Stripe's events about objects of sales. */
export const eventTypes = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'invoice.paid',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
] as const satisfies Stripe.WebhookEndpointCreateParams.EnabledEvent[];

/** URL that Stripe sends the events of a connection to; null if the service has no public https address. */
export const webhookUrl = (publicUrl: URL, connectionId: string): string | null =>
  publicUrl.protocol === 'https:' ? new URL(`/hooks/stripe/${connectionId}`, publicUrl).href : null;

/**
 * Ensures that Stripe sends events to a URL of a connection. Returns a new endpoint, or null if the one with this id is intact. Throws
 * as the client does.
 */
export async function ensureEndpoint(stripe: Stripe, url: string, id: string | null) {
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 });
  const own = data.filter((endpoint) => endpoint.url === url);
  if (own.some((endpoint) => endpoint.id === id && endpoint.status === 'enabled')) return null;
  // A process that died may have left an endpoint whose secret was not stored.
  for (const endpoint of own) await stripe.webhookEndpoints.del(endpoint.id);
  const created = await stripe.webhookEndpoints.create({ url, enabled_events: [...eventTypes] });
  if (!created.secret) throw new Error('Stripe created a webhook endpoint without a secret');
  return { id: created.id, secret: created.secret };
}
