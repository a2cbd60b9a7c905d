import { type Kysely, type RawBuilder, sql } from 'kysely';
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

/** Where attempts for a subscription are sent, and the secrets that sign them. */
type Receiver = Pick<
  LockedSubscription,
  'url' | 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_expires_at'
>;

/** An attempt that this process may make now, and what it sends. */
export interface Claim extends Attempt, Receiver {
  event: string;
  body: string;
  /** When its lease runs out at the earliest, as `performance.now()` tells time. */
  leaseEndsAt: number;
}

/** What is different between attempts that are made by themselves and those that were asked for by hand. */
export interface AttemptKind {
  /** Most under way for a subscription, where one round may claim so many for each. */
  mostUnderWay(subscription: LockedSubscription, perSubscription: number): number;
  /** SQL: whether delivery `d` waits for an attempt of this kind, or has one under way. */
  isOfKind: RawBuilder<unknown>;
  /** SQL: whether it may begin. */
  isDue: RawBuilder<unknown>;
  order: RawBuilder<unknown>;
  /** SQL for `set`: what a claim changes besides what each does. */
  changes(leaseEnd: RawBuilder<unknown>): RawBuilder<unknown>;
  /** SQL: its number among those that are made by themselves; null where it was asked for by hand. */
  scheduled: RawBuilder<unknown>;
}

/**
 * A subscription has never more attempts under way than failures it may still collect. So the attempt whose failure switches it off
 * is the last one there is: nothing is sent afterwards, and a dead receiver gets exactly ten.
 */
export const scheduledAttempts: AttemptKind = {
  mostUnderWay: ({ consecutive_failures }) => webhooks.failuresToDisable - consecutive_failures,
  isOfKind: sql`d.asked_at is null`,
  isDue: sql`d.due_at <= statement_timestamp() and d.attempt_count < d.attempt_limit`,
  order: sql`d.due_at`,
  changes: (leaseEnd) => sql`due_at = ${leaseEnd}`,
  scheduled: sql`d.attempt_count - d.attempt_limit + ${webhooks.attempts}::integer`,
};

/** Those of replays come after those that were asked for one by one. Failures don't matter, as these attempts don't count. */
export const requestedAttempts: AttemptKind = {
  mostUnderWay: (_subscription, perSubscription) => perSubscription,
  isOfKind: sql`d.asked_at is not null`,
  isDue: sql`d.asked_at <= statement_timestamp()`,
  order: sql`d.in_replay, d.asked_at`,
  changes: (leaseEnd) => sql`asked_at = ${leaseEnd}, attempt_limit = d.attempt_limit + 1`,
  scheduled: sql`null`,
};

export interface ClaimLimits {
  /** Most attempts to claim for each subscription. */
  perSubscription: number;
  leaseMs: number;
}

/** Begins the next attempt of deliveries that are due. */
export async function claimAttempts(
  db: Kysely<WebhookTables>,
  from: readonly LockedSubscription[],
  { kind, perSubscription, leaseMs }: ClaimLimits & { kind: AttemptKind },
): Promise<Claim[]> {
  if (from.length === 0) return [];
  const slots = from.map((subscription) => ({
    site_id: subscription.site_id,
    subscription_id: subscription.subscription_id,
    most: kind.mostUnderWay(subscription, perSubscription),
  }));
  const leaseEnd = sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;
  const leaseEndsAt = performance.now() + leaseMs;
  const { rows } = await sql<Omit<Claim, keyof Receiver | 'leaseEndsAt'>>`${preparedStatement}
    with slot as (
      select s.*, greatest(0, least(${perSubscription}, s.most - (
        select count(*) from webhook_deliveries d
        where d.site_id = s.site_id and d.subscription_id = s.subscription_id
          and d.lease_until > clock_timestamp() and ${kind.isOfKind}
      ))) as free
      from json_to_recordset(${JSON.stringify(slots)}::json) as s(site_id text, subscription_id text, most integer)
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
