import { type Kysely, sql } from 'kysely';
import type { z } from 'zod';
import { eventsUnder } from '../../../shared/contract/events.ts';
import { webhookLimits as limits, type ReplayWebhook } from '../../../shared/contract/features/webhooks.ts';
import { retentionDays } from '../../../shared/contract/limits.ts';
import { insertDeliveries } from '../../../shared/db/delivery-queue.ts';
import {
  isOfCollections,
  keyText,
  type SubscriptionKey,
  type WebhookTables,
} from '../../../shared/db/webhook-subscriptions.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Deps, StoreDeps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { deliveryBody } from './delivery-log.ts';
import { changeLocked } from './subscriptions.ts';

/**
 * Requests one more attempt of a delivery, whatever its status, even if its subscription is inactive. Repeated
 * requests before the attempt starts result in one attempt. Throws `not_found`, `attempt_running` while an attempt
 * runs, and `event_expired` if the body was deleted.
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

/**
 * SQL: status of a delivery with a requested attempt. A delivered one stays delivered, whatever the attempt's outcome.
 */
const pendingUnlessDelivered = sql<
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

type ReplayPeriod = Omit<z.infer<typeof ReplayWebhook>, 'id'>;

/**
 * Requests one attempt for each event of the period that the subscription matches, oldest first, at most
 * `eventsPerReplay`. Events that are about to be attempted anyway are left out. Returns the number of requested
 * attempts. Throws `not_found`, and `replay_running` while another replay of the subscription runs.
 */
export async function replay(
  deps: StoreDeps,
  key: SubscriptionKey,
  period: ReplayPeriod,
): Promise<{ count: number }> {
  return inTransaction(deps, key.site_id, async (em) => {
    const db = em.getKysely<WebhookTables>();
    const subscription = await holdSubscription(db, key);
    await refuseSecond(db, key);
    const events = await findEvents(db, key, period, eventsUnder(subscription.events));
    const deliveryIds = events.flatMap(({ delivery_id }) => delivery_id ?? []);
    const missing = events.filter(({ delivery_id }) => delivery_id === null);
    const redelivered = await askAgain(db, key.site_id, deliveryIds);
    const begun = await insertDeliveries(
      db,
      missing.map(({ event_id, event }) => ({ ...key, event_id, event })),
      { inReplay: true, randomBytes: deps.randomBytes },
    );
    return { count: redelivered + begun };
  });
}

/**
 * Locks a subscription only against deletion, so that rounds of the worker can deliver to it and to others while
 * thousands of rows are written.
 */
async function holdSubscription(db: Kysely<WebhookTables>, { site_id, subscription_id }: SubscriptionKey) {
  const subscriptions = db.selectFrom('webhook_subscriptions').select('events').forKeyShare();
  const own = subscriptions.where('site_id', '=', site_id).where('id', '=', subscription_id);
  return found(await own.executeTakeFirst());
}

/**
 * Refuses concurrent replays. The lock admits one of two simultaneous requests, and its deliveries are visible to all
 * later ones.
 */
async function refuseSecond(db: Kysely<WebhookTables>, key: SubscriptionKey) {
  const lock = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${keyText(key)}, 0)) as free`.execute(db);
  if (!lock.rows[0]?.free) throw new ApiError('replay_running');
  const running = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('site_id', '=', key.site_id)
    .where('subscription_id', '=', key.subscription_id)
    .where('in_replay', '=', true)
    .where('asked_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (running) throw new ApiError('replay_running');
}

/** Finds events to send again, with their deliveries, if any. Excludes those that are about to be attempted anyway. */
async function findEvents(
  db: Kysely<WebhookTables>,
  { site_id, subscription_id }: SubscriptionKey,
  { since, until, status }: ReplayPeriod,
  names: readonly string[],
) {
  const { rows } = await sql<{ event_id: string; event: string; delivery_id: string | null }>`
    select e.id as event_id, e.name as event, d.id as delivery_id
    from events e
    join webhook_subscriptions s on s.site_id = e.site_id and s.id = ${subscription_id}
    left join webhook_deliveries d on d.site_id = e.site_id and d.subscription_id = s.id and d.event_id = e.id
    where e.site_id = ${site_id} and e.name = any(${names}::text[]) and e.occurred_at >= ${since}
      and e.occurred_at >= s.registered_at and e.occurred_at >= now() - ${retentionDays.events} * interval '1 day'
      ${until ? sql`and e.occurred_at < ${until}` : sql``}
      and ${isOfCollections} and not (e.awaits_fan_out and s.active)
      and (d.id is null or (d.lease_until is null and d.asked_at is null and (d.due_at is null or d.due_at > now())))
      ${status === 'failed' ? sql`and d.status is distinct from 'delivered'` : sql``}
    order by e.occurred_at, e.id limit ${limits.eventsPerReplay}`.execute(db);
  return rows;
}

/**
 * Requests attempts of these deliveries, and returns their number. Rows that a round has locked are skipped: they are about
 * to be attempted, and waiting could deadlock.
 */
async function askAgain(db: Kysely<WebhookTables>, siteId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { numAffectedRows = 0n } = await sql`
    update webhook_deliveries d set asked_at = now(), in_replay = true, status = ${pendingUnlessDelivered}, updated = clock_timestamp()
    from (
      select id from webhook_deliveries where site_id = ${siteId} and id = any(${ids}::text[])
        and lease_until is null and asked_at is null for update skip locked
    ) free
    where d.site_id = ${siteId} and d.id = free.id`.execute(db);
  return Number(numAffectedRows);
}
