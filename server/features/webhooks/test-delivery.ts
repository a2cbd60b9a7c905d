import type { TestEventData } from '../../../shared/contract/events.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { WebhookDelivery } from '../../../shared/db/entities/webhooks.ts';
import { deliver } from '../../../shared/webhooks/deliver.ts';
import type { Deps } from '../../kernel/deps.ts';
import { getSubscription } from './subscriptions.ts';

/** Sends a synthetic `test` event, also to a subscription that is off; logged, not counted, not retried. Throws `not_found`. */
export async function sendTest(deps: Deps, siteId: string, subscriptionId: string) {
  const { database, clock, webhooks } = deps;
  const em = database.em.fork();
  const { url, secret_sealed } = await getSubscription(deps, siteId, subscriptionId);
  const sentAt = clock.now();
  const id = newRecordId(sentAt, deps.randomBytes);
  const data = { message: 'This is a test delivery.' } satisfies TestEventData;
  const body = JSON.stringify({ event: 'test', timestamp: sentAt.toISOString(), data });
  const own = { site_id: siteId, subscription_id: subscriptionId, id, event: 'test' as const };
  const result = await deliver(webhooks, { ...own, url, secret_sealed, body, sentAt });
  const error = result.ok ? null : result.error;
  const row = em.create(WebhookDelivery, {
    ...own,
    status: result.ok ? 'delivered' : 'failed',
    attempt_count: 1,
    last_status_code: result.statusCode,
    error,
    created: sentAt,
    updated: clock.now(),
  });
  await em.persist(row).flush();
  return { status_code: result.statusCode, error, duration_ms: result.durationMs };
}
