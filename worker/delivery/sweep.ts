import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { earliestBySubscription } from '../../shared/db/delivery-queue.ts';
import type { SubscriptionKey } from '../../shared/db/webhook-subscriptions.ts';

/** Subscriptions with attempts that were asked for by hand, and are yet to be made or whose worker died. */
export async function findAsked(database: MikroORM): Promise<SubscriptionKey[]> {
  const { rows } = await sql<SubscriptionKey>`
    with recursive asked as (
      (select site_id, subscription_id from webhook_deliveries where asked_at is not null
        order by site_id, subscription_id limit 1)
      union all
      select next.* from asked cross join lateral (
        select site_id, subscription_id from webhook_deliveries d
        where asked_at is not null and (d.site_id, d.subscription_id) > (asked.site_id, asked.subscription_id)
        order by site_id, subscription_id limit 1
      ) next
    )
    select * from asked`.execute(database.em.getKysely());
  return rows;
}

/** Subscriptions with a delivery that is due: a retry whose time has come, or an attempt whose worker died. */
export async function findDue(database: MikroORM): Promise<SubscriptionKey[]> {
  const { rows } = await sql<SubscriptionKey>`
    with recursive ${earliestBySubscription}
    select site_id, subscription_id from earliest where due_at <= now()`.execute(database.em.getKysely());
  return rows;
}

/**
 * Gives up deliveries whose last attempt never reported back: its worker died, and there is no seventh. What was asked
 * for by hand is made again instead. It skips rows that a round holds, with which it could else come to a deadlock.
 */
export async function failExhausted(database: MikroORM): Promise<void> {
  await sql`
    update webhook_deliveries d set status = 'failed', error = coalesce(error, 'timeout'), due_at = null, lease_until = null, updated = now()
    from (
      select site_id, id from webhook_deliveries
      where lease_until < now() and attempt_count >= attempt_limit and asked_at is null for update skip locked
    ) lost
    where d.site_id = lost.site_id and d.id = lost.id`.execute(database.em.getKysely());
}

/**
 * Ends the leases that were given before the database's clock was set back: they lie further ahead than any other, and the
 * attempts of workers that died would wait until then.
 */
export async function endStrayLeases(database: MikroORM, leaseMs: number): Promise<void> {
  await sql`
    update webhook_deliveries d set lease_until = now(), due_at = case when d.asked_at is null then now() else d.due_at end,
      asked_at = case when d.asked_at is not null then now() end
    from (
      select site_id, id from webhook_deliveries
      where lease_until > now() + ${2 * leaseMs} * interval '1 millisecond' for update skip locked
    ) stray
    where d.site_id = stray.site_id and d.id = stray.id`.execute(database.em.getKysely());
}

/** Whether an event has waited for its fan-out longer than its job should take: the job was lost. */
export async function hasOverdueEvents(database: MikroORM): Promise<boolean> {
  const { rows } = await sql<{ overdue: boolean }>`
    select exists (select from events where awaits_fan_out and occurred_at < now() - interval '1 second') as overdue
  `.execute(database.em.getKysely());
  return rows[0]?.overdue ?? false;
}
