import { type Kysely, sql } from 'kysely';
import { webhooks } from '../../shared/contract/limits.ts';
import {
  keyText,
  type LockedSubscription,
  type SubscriptionKey,
  type WebhookTables,
} from '../../shared/db/webhook-subscriptions.ts';

/** One attempt of a delivery, and until when it is this process's. */
export interface Attempt extends SubscriptionKey {
  id: string;
  /** Its number, from 1. */
  attempt: number;
  /** On the database's clock. With the number it tells this claim from every other of the same delivery. */
  lease_until: Date;
  /**
   * When it began: microseconds since 1970 on the database's clock. Attempts for one subscription are claimed under its
   * lock, so this is also their order.
   */
  began: number;
}

/** An attempt that this process may make now, and what it sends. */
export interface Claim extends Attempt {
  event: string;
  body: string;
  url: string;
  secret_sealed: string;
  /** When its lease runs out at the earliest, as `performance.now()` tells time. */
  leaseEndsAt: number;
}

interface ClaimLimits {
  /** Most attempts to claim for each subscription. */
  perSubscription: number;
  leaseMs: number;
}

/**
 * Begins the next attempt of deliveries that are due. A subscription has never more attempts under way than failures
 * it may still collect. So the attempt whose failure switches it off is the last one there is: nothing is sent
 * afterwards, and a dead receiver gets exactly ten.
 */
export async function claimDue(
  db: Kysely<WebhookTables>,
  from: readonly LockedSubscription[],
  { perSubscription, leaseMs }: ClaimLimits,
): Promise<Claim[]> {
  if (from.length === 0) return [];
  const slots = from.map(({ site_id, subscription_id, consecutive_failures }) => ({
    site_id,
    subscription_id,
    most: webhooks.failuresToDisable - consecutive_failures,
  }));
  const leaseEndsAt = performance.now() + leaseMs;
  const leaseEnd = sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;
  const { rows } = await sql<Omit<Claim, 'url' | 'secret_sealed' | 'leaseEndsAt'>>`
    with slot as (
      select s.*, greatest(0, least(${perSubscription}, s.most - (
        select count(*) from webhook_deliveries d
        where d.site_id = s.site_id and d.subscription_id = s.subscription_id and d.lease_until > clock_timestamp()
      ))) as free
      from json_to_recordset(${JSON.stringify(slots)}::json) as s(site_id text, subscription_id text, most integer)
    ),
    picked as (
      select d.* from slot cross join lateral (
        select d.site_id, d.id, e.body from webhook_deliveries d
        join events e on e.site_id = d.site_id and e.id = d.event_id
        where d.site_id = slot.site_id and d.subscription_id = slot.subscription_id
          and d.due_at <= statement_timestamp() and d.attempt_count < ${webhooks.attempts}
        order by d.due_at limit slot.free
      ) d
    )
    update webhook_deliveries d set attempt_count = d.attempt_count + 1, updated = clock_timestamp(),
      lease_until = ${leaseEnd}, due_at = ${leaseEnd}
    from picked p where d.site_id = p.site_id and d.id = p.id
    returning d.site_id, d.subscription_id, d.id, d.attempt_count as attempt, d.lease_until,
      (extract(epoch from clock_timestamp()) * 1000000)::float8 as began, d.event, p.body`.execute(db);
  const byKey = new Map(from.map((subscription) => [keyText(subscription), subscription]));
  return rows.flatMap((row) => {
    const subscription = byKey.get(keyText(row));
    if (!subscription) return [];
    const { url, secret_sealed } = subscription;
    return [{ ...row, url, secret_sealed, leaseEndsAt }];
  });
}
