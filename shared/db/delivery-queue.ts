import type { MikroORM } from '@mikro-orm/postgresql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { webhookLimits as webhooks } from '../contract/features/webhooks.ts';
import { newRecordId, type RandomBytes } from '../contract/record-id.ts';
import { preparedStatement } from './client.ts';
import type { SubscriptionKey } from './webhook-subscriptions.ts';

/**
 * SQL for `with recursive`: `earliest`, the earliest due delivery of each subscription that has a due time set. It
 * needs one index probe per subscription, however many deliveries wait.
 */
export const earliestBySubscription: RawBuilder<unknown> = sql`
  earliest as (
    (select site_id, subscription_id, due_at from webhook_deliveries where due_at is not null
      order by site_id, subscription_id, due_at limit 1)
    union all
    select next.* from earliest cross join lateral (
      select site_id, subscription_id, due_at from webhook_deliveries d
      where due_at is not null and (d.site_id, d.subscription_id) > (earliest.site_id, earliest.subscription_id)
      order by site_id, subscription_id, due_at limit 1
    ) next
  )`;

/**
 * SQL for the time of the next attempt of a delivery; null if none is planned. A manual request counts before the
 * delivery's own schedule. During an attempt it is null, because `due_at` is then the end of the lease.
 */
export const nextAttemptAt = sql<Date | null>`case when lease_until is null then coalesce(asked_at, due_at) end`;

/** Work that is left for the worker. Deliveries that wait for the time of a retry are not included. */
export interface DeliveryQueue {
  /** Number of events to fan out and of deliveries whose next attempt is due. */
  depth: number;
  /** Time since the oldest of these events and deliveries became due, in seconds; 0 if there are none. */
  oldest_due_seconds: number;
  /** Number of attempts that owners requested, individually or by replays, and that have not begun. */
  asked: number;
}

/**
 * Returns the worker's pending work: the number of events to fan out and due deliveries, and the number of requested
 * attempts. The wait of the oldest is in seconds, 0 if there is none.
 */
export async function measureDeliveryQueue(database: MikroORM): Promise<DeliveryQueue> {
  const { rows } = await sql<DeliveryQueue>`
    with recursive ${earliestBySubscription},
    waiting as (
      select count(*) as number, min(occurred_at) as since from events where awaits_fan_out
      union all
      select due.number, earliest.due_at from earliest cross join lateral (
        select count(*) as number from webhook_deliveries d
        where d.site_id = earliest.site_id and d.subscription_id = earliest.subscription_id and d.due_at <= now()
      ) due where earliest.due_at <= now()
    )
    select sum(number)::int as depth, coalesce(extract(epoch from now() - min(since)), 0)::float8 as oldest_due_seconds,
      (select count(*)::int from webhook_deliveries where asked_at <= now()) as asked
    from waiting`.execute(database.em.getKysely());
  return rows[0] ?? { depth: 0, oldest_due_seconds: 0, asked: 0 };
}

/** One event for one subscription, before its delivery is stored. */
export interface NewDelivery extends SubscriptionKey {
  event_id: string;
  event: string;
}

/**
 * Inserts deliveries that are due now and returns their number. It skips an event that the subscription already has a
 * delivery of. With `inReplay`, the first attempt belongs to a replay.
 */
export async function insertDeliveries<DB>(
  db: Kysely<DB>,
  deliveries: readonly NewDelivery[],
  { inReplay, randomBytes }: { inReplay: boolean; randomBytes: RandomBytes },
): Promise<number> {
  if (deliveries.length === 0) return 0;
  const now = new Date();
  const column = (name: keyof NewDelivery) => deliveries.map((delivery) => delivery[name]);
  const [due_at, asked_at] = inReplay ? [sql`null`, sql`now()`] : [sql`now()`, sql`null`];
  const { numAffectedRows = 0n } = await sql`${preparedStatement}
    insert into webhook_deliveries
      (id, site_id, subscription_id, event_id, event, status, attempt_count, attempt_limit, due_at, asked_at, in_replay, created, updated)
    select n.*, 'pending', 0, ${webhooks.attempts}::integer, ${due_at}::timestamptz, ${asked_at}::timestamptz, ${inReplay}::boolean, now(), now()
    from unnest(${deliveries.map(() => newRecordId(now, randomBytes))}::text[], ${column('site_id')}::text[],
      ${column('subscription_id')}::text[], ${column('event_id')}::text[], ${column('event')}::text[]) as n
    on conflict (site_id, subscription_id, event_id) do nothing`.execute(db);
  return Number(numAffectedRows);
}
