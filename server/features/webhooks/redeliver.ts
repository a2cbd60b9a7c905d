import { type Kysely, sql } from 'kysely';
import type { SubscriptionKey, WebhookTables } from '../../../shared/db/webhook-subscriptions.ts';
import { ApiError, found } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import { deliveryBody } from './delivery-log.ts';
import { changeLocked } from './subscriptions.ts';

/**
 * Has the worker make one more attempt of a delivery, whatever became of it and whether or not its subscription is on.
 * One that is asked for again before it has begun is still one.
 * Throws `not_found`, `attempt_running`, `event_expired`.
 */
export async function redeliver(deps: Deps, key: SubscriptionKey, deliveryId: string) {
  await changeLocked(deps, key, async (db) => {
    await refuseUnlessSendable(db, key, deliveryId);
    await db
      .updateTable('webhook_deliveries')
      .set({
        asked_at: sql`clock_timestamp()`,
        in_replay: false,
        status: pendingUnlessDelivered,
        updated: sql`clock_timestamp()`,
      })
      .where('site_id', '=', key.site_id)
      .where('id', '=', deliveryId)
      .execute();
  });
  return { id: deliveryId, status: 'pending' as const };
}

/** SQL: what an attempt that is asked for makes of a delivery. One that was delivered stays so, whatever comes of it. */
export const pendingUnlessDelivered = sql<
  'delivered' | 'pending'
>`case status when 'delivered' then status else 'pending' end`;

async function refuseUnlessSendable(db: Kysely<WebhookTables>, key: SubscriptionKey, deliveryId: string) {
  const { rows } = await sql<{ running: boolean; kept: boolean }>`
    select d.lease_until is not null as running, ${deliveryBody} is not null as kept
    from webhook_deliveries d
    where d.site_id = ${key.site_id} and d.subscription_id = ${key.subscription_id} and d.id = ${deliveryId}
    for update of d`.execute(db);
  const { running, kept } = found(rows[0]);
  if (running) throw new ApiError('attempt_running');
  if (!kept) throw new ApiError('event_expired');
}
