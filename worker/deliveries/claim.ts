import { type Kysely, type RawBuilder, sql } from 'kysely';
import { webhookLimits as webhooks } from '../../shared/contract/features/webhooks.ts';
import { preparedStatement } from '../../shared/db/client.ts';
import {
  keyText,
  type LockedSubscription,
  type SubscriptionKey,
  type WebhookTables,
} from '../../shared/db/webhook-subscriptions.ts';

/** Attempt of a delivery, with its lease. */
export interface Attempt extends SubscriptionKey {
  id: string;
  /** Attempt number, from 1. */
  attempt: number;
  /** Number among the scheduled attempts, from 1; null for a requested attempt. */
  scheduled: number | null;
  /** Lease end on the database's clock. Attempt number and lease together identify this claim. */
  lease_until: Date;
  /**
   * Start time in microseconds since 1970, on the database's clock. Attempts of one subscription are claimed under its
   * lock, so this is also their order.
   */
  began: number;
}

/** URL of a subscription, and the secrets that sign its attempts. */
type Receiver = Pick<
  LockedSubscription,
  'url' | 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_expires_at'
>;

/** Attempt that this process may make now, with the content to send. */
export interface Claim extends Attempt, Receiver {
  event: string;
  body: string;
  /** Earliest end of the lease, as `performance.now()`. */
  leaseEndsAt: number;
}

/** Differences between scheduled and requested attempts. */
export interface AttemptKind {
  /** Maximum of attempts in flight for a subscription, given the maximum per round. */
  maxUnderWay(subscription: LockedSubscription, perSubscription: number): number;
  /** SQL condition: delivery `d` has a waiting or running attempt of this kind. */
  isOfKind: RawBuilder<unknown>;
  /** SQL condition: the attempt may begin. */
  isDue: RawBuilder<unknown>;
  order: RawBuilder<unknown>;
  /** SQL for `set`: columns that a claim of this kind changes in addition. */
  changes(leaseEnd: RawBuilder<unknown>): RawBuilder<unknown>;
  /** SQL: number among the scheduled attempts; null for a requested attempt. */
  scheduled: RawBuilder<unknown>;
}

/**
 * Scheduled attempts. A subscription never has more attempts in flight than failures left before it is deactivated. A
 * dead receiver therefore gets exactly 10 attempts, and none after the deactivation.
 */
export const scheduledAttempts: AttemptKind = {
  maxUnderWay: ({ consecutive_failures }) => webhooks.failuresToDisable - consecutive_failures,
  isOfKind: sql`d.asked_at is null`,
  isDue: sql`d.due_at <= statement_timestamp() and d.attempt_count < d.attempt_limit`,
  order: sql`d.due_at`,
  changes: (leaseEnd) => sql`due_at = ${leaseEnd}`,
  scheduled: sql`d.attempt_count - d.attempt_limit + ${webhooks.attempts}::integer`,
};

/**
 * Requested attempts. Those of replays come after individual ones. They have no limit by failures, because their
 * failures do not count.
 */
export const requestedAttempts: AttemptKind = {
  maxUnderWay: (_subscription, perSubscription) => perSubscription,
  isOfKind: sql`d.asked_at is not null`,
  isDue: sql`d.asked_at <= statement_timestamp()`,
  order: sql`d.in_replay, d.asked_at`,
  changes: (leaseEnd) => sql`asked_at = ${leaseEnd}, attempt_limit = d.attempt_limit + 1`,
  scheduled: sql`null`,
};

export interface ClaimLimits {
  /** Maximum number of attempts to claim for each subscription. */
  perSubscription: number;
  leaseMs: number;
}

/**
 * Claims the next attempts of due deliveries to these subscriptions, which must be locked. Returns them, none if
 * nothing is due.
 */
export async function claimAttempts(
  db: Kysely<WebhookTables>,
  from: readonly LockedSubscription[],
  { kind, perSubscription, leaseMs }: ClaimLimits & { kind: AttemptKind },
): Promise<Claim[]> {
  if (from.length === 0) return [];
  const slots = from.map((subscription) => ({
    site_id: subscription.site_id,
    subscription_id: subscription.subscription_id,
    max: kind.maxUnderWay(subscription, perSubscription),
  }));
  const leaseEnd = sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;
  const leaseEndsAt = performance.now() + leaseMs;
  const { rows } = await sql<Omit<Claim, keyof Receiver | 'leaseEndsAt'>>`${preparedStatement}
    with slot as (
      select s.*, greatest(0, least(${perSubscription}, s.max - (
        select count(*) from webhook_deliveries d
        where d.site_id = s.site_id and d.subscription_id = s.subscription_id
          and d.lease_until > clock_timestamp() and ${kind.isOfKind}
      ))) as free
      from json_to_recordset(${JSON.stringify(slots)}::json) as s(site_id text, subscription_id text, max integer)
    ),
    picked as (
      select d.* from slot cross join lateral (
        select d.site_id, d.id, coalesce(e.body, d.body) as body from webhook_deliveries d
        left join events e on e.site_id = d.site_id and e.id = d.event_id
        where d.site_id = slot.site_id and d.subscription_id = slot.subscription_id and ${kind.isOfKind} and ${kind.isDue}
        order by ${kind.order} limit slot.free
      ) d
    )
    update webhook_deliveries d set attempt_count = d.attempt_count + 1, updated = clock_timestamp(),
      lease_until = ${leaseEnd}, ${kind.changes(leaseEnd)}
    from picked p where d.site_id = p.site_id and d.id = p.id
    returning d.site_id, d.subscription_id, d.id, d.attempt_count as attempt, d.lease_until,
      (extract(epoch from clock_timestamp()) * 1000000)::float8 as began, d.event, ${kind.scheduled} as scheduled, p.body`.execute(
    db,
  );
  const byKey = new Map(from.map((subscription) => [keyText(subscription), subscription]));
  return rows.flatMap((row) => {
    const subscription = byKey.get(keyText(row));
    if (!subscription) return [];
    const { url, secret_sealed, previous_secret_sealed, previous_secret_expires_at } = subscription;
    return [{ ...row, url, secret_sealed, previous_secret_sealed, previous_secret_expires_at, leaseEndsAt }];
  });
}
