import { sql } from 'kysely';
import { webhooks } from '../../shared/contract/limits.ts';
import type { Database } from '../../shared/db/config.ts';
import type { SubscriptionKey } from './subscription-key.ts';

/**
 * Subscriptions with a delivery that is due: a retry whose time has come, or an attempt whose worker died. One index
 * probe per subscription that has anything waiting, however many deliveries wait for each.
 */
export async function findDue(database: Database): Promise<SubscriptionKey[]> {
  const { rows } = await sql<SubscriptionKey>`
    with recursive earliest as (
      (select site_id, subscription_id, due_at from webhook_deliveries where due_at is not null
        order by site_id, subscription_id, due_at limit 1)
      union all
      select next.* from earliest cross join lateral (
        select site_id, subscription_id, due_at from webhook_deliveries d
        where due_at is not null and (d.site_id, d.subscription_id) > (earliest.site_id, earliest.subscription_id)
        order by site_id, subscription_id, due_at limit 1
      ) next
    )
    select site_id, subscription_id from earliest where due_at <= now()`.execute(database.em.getKysely());
  return rows;
}

/** Gives up deliveries whose last attempt never reported back: its worker died, and there is no seventh. */
export async function failExhausted(database: Database): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'failed', error = coalesce(error, 'timeout'), due_at = null, lease_until = null, updated = now()
    where lease_until < now() and attempt_count >= ${webhooks.attempts}`.execute(database.em.getKysely());
}

/** Whether an event has waited for its fan-out longer than its job should take: the job was lost. */
export async function hasOverdueEvents(database: Database): Promise<boolean> {
  const { rows } = await sql<{ overdue: boolean }>`
    select exists (select from events where awaits_fan_out and occurred_at < now() - interval '1 second') as overdue
  `.execute(database.em.getKysely());
  return rows[0]?.overdue ?? false;
}
