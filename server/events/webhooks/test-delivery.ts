import type { TestEventData } from '../../../shared/contract/features/webhooks.ts';
import { webhookLimits as limits } from '../../../shared/contract/features/webhooks.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { WebhookAttempt, WebhookDelivery } from '../../../shared/db/entities/webhooks.ts';
import { deliver } from '../../../shared/webhooks/index.ts';
import type { Deps } from '../../api/deps.ts';
import { getSubscription } from './subscriptions.ts';

/**
 * Sends a synthetic `test` event, even to an inactive subscription, and returns the outcome of the attempt. The
 * attempt is logged, but it is not retried, and a failure does not count against the subscription. Throws
 * `not_found`.
 */
export async function sendTest(deps: Deps, siteId: string, subscriptionId: string) {
  const { database, clock, webhooks } = deps;
  const em = database.em.fork();
  const { url, secret_sealed, previous_secret_sealed, previous_secret_expires_at } = await getSubscription(
    deps,
    siteId,
    subscriptionId,
  );
  const sealed = { secret_sealed, previous_secret_sealed, previous_secret_expires_at };
  const sentAt = clock.now();
  const id = newRecordId(sentAt, deps.randomBytes);
  const data = { message: 'This is a test delivery.' } satisfies TestEventData;
  const body = JSON.stringify({ event: 'test', timestamp: sentAt.toISOString(), data });
  const own = { site_id: siteId, subscription_id: subscriptionId, id, event: 'test' as const, body };
  const result = await deliver(
    { secrets: deps.secrets, sender: webhooks.sender },
    { ...own, url, ...sealed, sentAt },
  );
  const error = result.ok ? null : result.error;
  const delivery = em.create(WebhookDelivery, {
    ...own,
    status: result.ok ? 'delivered' : 'failed',
    attempt_count: 1,
    attempt_limit: limits.attempts + 1,
    last_status_code: result.statusCode,
    error,
    in_replay: false,
    created: sentAt,
    updated: clock.now(),
  });
  const attempt = em.create(WebhookAttempt, {
    site_id: siteId,
    delivery_id: id,
    attempt: 1,
    started: sentAt,
    duration_ms: result.durationMs,
    status_code: result.statusCode,
    error,
    manual: true,
  });
  await em.persist([delivery, attempt]).flush();
  return { status_code: result.statusCode, error, duration_ms: result.durationMs };
}
