import type { MikroORM } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { isStray } from '../../shared/db/lock.ts';

/** SQL: whether a delivery's last attempt never reported back. */
const isLost = sql`lease_until < now() and attempt_count >= attempt_limit and asked_at is null`;

const isStrayLease = (leaseMs: number) => isStray(sql`lease_until`, leaseMs);

/** SQL for `with recursive`: `asked`, the subscriptions with attempts that were asked for by hand, and are yet to be made or whose worker died. */
export const askedSubscriptions: RawBuilder<unknown> = sql`
  asked as (
    (select site_id, subscription_id from webhook_deliveries where asked_at is not null
      order by site_id, subscription_id limit 1)
    union all
    select next.* from asked cross join lateral (
      select site_id, subscription_id from webhook_deliveries d
      where asked_at is not null and (d.site_id, d.subscription_id) > (asked.site_id, asked.subscription_id)
      order by site_id, subscription_id limit 1
    ) next
  )`;

/** SQL of what dead workers and lost jobs left: an event waits for its fan-out longer than its job should take. */
export const leftBehind = (leaseMs: number): RawBuilder<unknown> => sql`
  exists (select from webhook_deliveries where ${isLost}) as lost,
  exists (select from webhook_deliveries where ${isStrayLease(leaseMs)}) as stray,
  exists (select from events where awaits_fan_out and occurred_at < now() - interval '1 second') as overdue`;

/** Rows that a round holds are skipped: to wait for them could end in a deadlock. */
const changeFree = ({ em }: MikroORM, condition: RawBuilder<unknown>, changes: RawBuilder<unknown>) =>
  sql`
    update webhook_deliveries d set ${changes}
    from (
      select site_id, id from webhook_deliveries
      where ${condition} for update skip locked
    ) free
    where d.site_id = free.site_id and d.id = free.id`.execute(em.getKysely());

/**
 * Gives up deliveries whose last attempt never reported back: its worker died, and there is no seventh. What was asked
 * for by hand is made again instead.
 */
export const failLostLastAttempts = (database: MikroORM) =>
  changeFree(
    database,
    isLost,
    sql`status = 'failed', error = coalesce(error, 'timeout'), due_at = null, lease_until = null, updated = now()`,
  );

/** Ends stray leases: the attempts of workers that died would wait until then. */
export const endStrayLeases = (database: MikroORM, leaseMs: number) =>
  changeFree(
    database,
    isStrayLease(leaseMs),
    sql`lease_until = now(), due_at = case when d.asked_at is null then now() else d.due_at end,
      asked_at = case when d.asked_at is not null then now() end`,
  );
