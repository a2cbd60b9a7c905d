import type { MikroORM } from '@mikro-orm/postgresql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { webhookLimits as webhooks } from '../contract/features/webhooks.ts';
import { newRecordId, type RandomBytes } from '../contract/record-id.ts';
import { preparedStatement } from './client.ts';
import type { SubscriptionKey } from './webhook-subscriptions.ts';

/**
 * SQL for `with recursive`: `earliest`, the earliest due delivery of each subscription that has any waiting. One index
 * probe per subscription, however many deliveries wait for it.
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
 * SQL: when the next attempt of a delivery is due, if one is: at once when it was asked for by hand. While an attempt is under way, `due_at` is the end of its
 * lease: no next attempt is planned yet.
 */
export const nextAttemptAt = sql<Date | null>`case when lease_until is null then coalesce(asked_at, due_at) end`;

/** What the worker has yet to do. Deliveries that wait for a retry's time are not counted. */
export interface DeliveryQueue {
  /** Events to fan out, and deliveries whose next attempt is due. */
  depth: number;
  /** How long the oldest of them has been due, in seconds; 0 when there is none. */
  oldest_due_seconds: number;
  /** Attempts besides that owners asked for, one by one or by replays, and that were not begun yet. */
  asked: number;
}

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

/** An event on its way to a subscription. */
export interface NewDelivery extends SubscriptionKey {
  event_id: string;
  event: string;
}

/**
 * Inserts deliveries that are due now, and returns their number. It skips an event that the subscription already has a delivery
 * of. `inReplay` if a replay makes the first attempt.
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
