import { type Kysely, sql } from 'kysely';
import { webhookLimits as webhooks } from '../../shared/contract/features/webhooks.ts';
import { preparedStatement } from '../../shared/db/client.ts';
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
  /** Its number among those that are made by themselves, from 1; null for one that was asked for by hand. */
  scheduled: number | null;
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
  previous_secret_sealed: string | null;
  previous_secret_expires_at: Date | null;
  /** When its lease runs out at the earliest, as `performance.now()` tells time. */
  leaseEndsAt: number;
}

export interface ClaimLimits {
  /** Most attempts to claim for each subscription. */
  perSubscription: number;
  leaseMs: number;
}

/** A claim as its statement gives it. */
type ClaimedRow = Omit<
  Claim,
  'url' | 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_expires_at' | 'leaseEndsAt'
>;

const leaseEnd = (leaseMs: number) => sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;

/** SQL: what a claim of row `d` tells of it, but for its number and its body. */
const claimed = sql`d.site_id, d.subscription_id, d.id, d.attempt_count as attempt, d.lease_until,
  (extract(epoch from clock_timestamp()) * 1000000)::float8 as began, d.event`;

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
  const { rows } = await sql<ClaimedRow>`${preparedStatement}
    with slot as (
      select s.*, greatest(0, least(${perSubscription}, s.most - (
        select count(*) from webhook_deliveries d
        where d.site_id = s.site_id and d.subscription_id = s.subscription_id
          and d.lease_until > clock_timestamp() and d.asked_at is null
      ))) as free
      from json_to_recordset(${JSON.stringify(slots)}::json) as s(site_id text, subscription_id text, most integer)
    ),
    picked as (
      select d.* from slot cross join lateral (
        select d.site_id, d.id, e.body from webhook_deliveries d
        join events e on e.site_id = d.site_id and e.id = d.event_id
        where d.site_id = slot.site_id and d.subscription_id = slot.subscription_id
          and d.due_at <= statement_timestamp() and d.attempt_count < d.attempt_limit and d.asked_at is null
        order by d.due_at limit slot.free
      ) d
    )
    update webhook_deliveries d set attempt_count = d.attempt_count + 1, updated = clock_timestamp(),
      lease_until = ${leaseEnd(leaseMs)}, due_at = ${leaseEnd(leaseMs)}
    from picked p where d.site_id = p.site_id and d.id = p.id
    returning ${claimed}, d.attempt_count - d.attempt_limit + ${webhooks.attempts}::integer as scheduled, p.body`.execute(
    db,
  );
  return addressed(rows, from, leaseEndsAt);
}

/**
 * Begins attempts that were asked for by hand: those of replays after those that were asked for one by one. Failures
 * don't matter here, as these attempts don't count.
 */
export async function claimRequested(
  db: Kysely<WebhookTables>,
  from: readonly LockedSubscription[],
  { perSubscription, leaseMs }: ClaimLimits,
): Promise<Claim[]> {
  if (from.length === 0) return [];
  const slots = from.map(({ site_id, subscription_id }) => ({ site_id, subscription_id }));
  const leaseEndsAt = performance.now() + leaseMs;
  const { rows } = await sql<ClaimedRow>`
    with slot as (
      select s.*, greatest(0, ${perSubscription} - (
        select count(*) from webhook_deliveries d
        where d.site_id = s.site_id and d.subscription_id = s.subscription_id
          and d.lease_until > clock_timestamp() and d.asked_at is not null
      )) as free
      from json_to_recordset(${JSON.stringify(slots)}::json) as s(site_id text, subscription_id text)
    ),
    picked as (
      select d.* from slot cross join lateral (
        select d.site_id, d.id, coalesce(e.body, d.body) as body from webhook_deliveries d
        left join events e on e.site_id = d.site_id and e.id = d.event_id
        where d.site_id = slot.site_id and d.subscription_id = slot.subscription_id
          and d.asked_at <= statement_timestamp()
        order by d.in_replay, d.asked_at limit slot.free
      ) d
    )
    update webhook_deliveries d set attempt_count = d.attempt_count + 1, attempt_limit = d.attempt_limit + 1,
      updated = clock_timestamp(), lease_until = ${leaseEnd(leaseMs)}, asked_at = ${leaseEnd(leaseMs)}
    from picked p where d.site_id = p.site_id and d.id = p.id
    returning ${claimed}, null as scheduled, p.body`.execute(db);
  return addressed(rows, from, leaseEndsAt);
}

/** With where they are sent, and the secrets that sign them. */
function addressed(
  rows: readonly ClaimedRow[],
  from: readonly LockedSubscription[],
  leaseEndsAt: number,
): Claim[] {
  const byKey = new Map(from.map((subscription) => [keyText(subscription), subscription]));
  return rows.flatMap((row) => {
    const subscription = byKey.get(keyText(row));
    if (!subscription) return [];
    const { url, secret_sealed, previous_secret_sealed, previous_secret_expires_at } = subscription;
    return [{ ...row, url, secret_sealed, previous_secret_sealed, previous_secret_expires_at, leaseEndsAt }];
  });
}
