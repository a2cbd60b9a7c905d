import type { Stripe } from 'stripe';
import type { SecretBox } from '../runtime/secret-box.ts';
import { type Connection, connectionOwner } from './connection.ts';
import { stripeFailure } from './stripe.ts';

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

/**
 * Ensures that Stripe sends events of a connection to the service, if it has a public https address. Returns the columns of a new
 * endpoint; null if the stored one is intact, and if Stripe fails: passes find sales without webhooks.
 */
export async function ensureEndpoint(
  { publicUrl, secrets }: { publicUrl: URL; secrets: Pick<SecretBox, 'seal'> },
  stripe: Stripe,
  { id, site_id, hook_id }: Pick<Connection, 'id' | 'site_id' | 'hook_id'>,
): Promise<{ hook_id: string; hook_secret_sealed: string } | null> {
  if (publicUrl.protocol !== 'https:') return null;
  const url = new URL(`/hooks/stripe/${id}`, publicUrl).href;
  try {
    const { data } = await stripe.webhookEndpoints.list({ limit: 100 });
    const own = data.filter((endpoint) => endpoint.url === url);
    if (own.some((endpoint) => endpoint.id === hook_id && endpoint.status === 'enabled')) return null;
    // A process that died may have left an endpoint whose secret was not stored.
    for (const endpoint of own) await stripe.webhookEndpoints.del(endpoint.id);
    const created = await stripe.webhookEndpoints.create({ url, enabled_events: [...eventTypes] });
    if (!created.secret) throw new Error('Stripe created a webhook endpoint without a secret');
    const hook_secret_sealed = secrets.seal(created.secret, connectionOwner(site_id));
    return { hook_id: created.id, hook_secret_sealed };
  } catch (error) {
    stripeFailure(error);
    return null;
  }
}
