import type { MikroORM } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { isInvalidLease } from '../../shared/db/advisory-lock.ts';

/** SQL condition: the lease of a delivery's last attempt has expired. */
const isLost = sql`lease_until < now() and attempt_count >= attempt_limit and asked_at is null`;

const isLeaseInvalid = (leaseMs: number) => isInvalidLease(sql`lease_until`, leaseMs);

/**
 * SQL for `with recursive`: table `asked`, all subscriptions with requested attempts, including those in progress. A
 * claim takes only the due ones.
 */
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

/**
 * SQL columns: work that dead workers and lost jobs left behind. An event is overdue if it waits longer than its job
 * should take.
 */
export const leftBehind = (leaseMs: number): RawBuilder<unknown> => sql`
  exists (select from webhook_deliveries where ${isLost}) as lost,
  exists (select from webhook_deliveries where ${isLeaseInvalid(leaseMs)}) as invalid_lease,
  exists (select from events where awaits_fan_out and occurred_at < now() - interval '1 second') as overdue`;

/** Updates deliveries, but skips rows that a round has locked, because waiting could deadlock. */
const changeFree = ({ em }: MikroORM, condition: RawBuilder<unknown>, changes: RawBuilder<unknown>) =>
  sql`
    update webhook_deliveries d set ${changes}
    from (
      select site_id, id from webhook_deliveries
      where ${condition} for update skip locked
    ) free
    where d.site_id = free.site_id and d.id = free.id`.execute(em.getKysely());

/** Fails deliveries whose last scheduled attempt lost its worker. Requested attempts are made again instead. */
export const failLostLastAttempts = (database: MikroORM) =>
  changeFree(
    database,
    isLost,
    sql`status = 'failed', error = coalesce(error, 'timeout'), due_at = null, lease_until = null, updated = now()`,
  );

/**
 * Ends leases that lie too far in the future, because the clock was set back. Otherwise attempts of dead workers would
 * wait until then.
 */
export const endInvalidLeases = (database: MikroORM, leaseMs: number) =>
  changeFree(
    database,
    isLeaseInvalid(leaseMs),
    sql`lease_until = now(), due_at = case when d.asked_at is null then now() else d.due_at end,
      asked_at = case when d.asked_at is not null then now() end`,
  );
