import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { webhooks } from '../../shared/contract/limits.ts';
import { earliestBySubscription } from '../../shared/db/delivery-queue.ts';
import type { SubscriptionKey } from '../../shared/db/webhook-subscriptions.ts';

/** Subscriptions with a delivery that is due: a retry whose time has come, or an attempt whose worker died. */
export async function findDue(database: MikroORM): Promise<SubscriptionKey[]> {
  const { rows } = await sql<SubscriptionKey>`
    with recursive ${earliestBySubscription}
    select site_id, subscription_id from earliest where due_at <= now()`.execute(database.em.getKysely());
  return rows;
}

/**
 * Gives up deliveries whose last attempt never reported back: its worker died, and there is no seventh. It skips rows
 * that a round holds, with which it could else come to a deadlock.
 */
export async function failExhausted(database: MikroORM): Promise<void> {
  await sql`
    update webhook_deliveries d set status = 'failed', error = coalesce(error, 'timeout'), due_at = null, lease_until = null, updated = now()
    from (
      select site_id, id from webhook_deliveries
      where lease_until < now() and attempt_count >= ${webhooks.attempts} for update skip locked
    ) lost
    where d.site_id = lost.site_id and d.id = lost.id`.execute(database.em.getKysely());
}

/** Whether an event has waited for its fan-out longer than its job should take: the job was lost. */
export async function hasOverdueEvents(database: MikroORM): Promise<boolean> {
  const { rows } = await sql<{ overdue: boolean }>`
    select exists (select from events where awaits_fan_out and occurred_at < now() - interval '1 second') as overdue
  `.execute(database.em.getKysely());
  return rows[0]?.overdue ?? false;
}
