import type { TestEventData } from '../../../shared/contract/events.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { WebhookDelivery } from '../../../shared/db/entities/webhooks.ts';
import type { SendResult } from '../../../shared/webhooks/send.ts';
import { deliveryHeaders } from '../../../shared/webhooks/sign.ts';
import type { Deps } from '../../kernel/deps.ts';
import { getSubscription } from './subscriptions.ts';

/** Sends a synthetic `test` event, also to a subscription that is off; logged, not counted, not retried. Throws `not_found`. */
export async function sendTest(deps: Deps, siteId: string, subscriptionId: string) {
  const { database, clock, webhooks } = deps;
  const em = database.em.fork();
  const subscription = await getSubscription(deps, siteId, subscriptionId);
  const sentAt = clock.now();
  const deliveryId = newRecordId(sentAt, deps.randomBytes);
  const data = { message: 'This is a test delivery.' } satisfies TestEventData;
  const body = Buffer.from(JSON.stringify({ event: 'test', timestamp: sentAt.toISOString(), data }));
  const secret = webhooks.secrets.open(subscription.secret_sealed, `${siteId}/${subscriptionId}`);
  const headers = deliveryHeaders({ event: 'test', deliveryId, secret, body, sentAt });
  const result = await webhooks.sender.send({ url: subscription.url, headers, body });
  const outcome = outcomeOf(result);
  const row = em.create(WebhookDelivery, {
    site_id: siteId,
    id: deliveryId,
    subscription_id: subscriptionId,
    event: 'test',
    status: result.ok ? 'delivered' : 'failed',
    attempt_count: 1,
    last_status_code: outcome.status_code,
    error: outcome.error,
    created: sentAt,
    updated: clock.now(),
  });
  await em.persist(row).flush();
  return { ...outcome, duration_ms: result.durationMs };
}

const outcomeOf = (result: SendResult) => ({
  status_code: result.statusCode,
  error: result.ok ? null : result.error,
});
