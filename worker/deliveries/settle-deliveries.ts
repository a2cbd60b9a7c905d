import { type Kysely, sql } from 'kysely';
import { webhookLimits as webhooks } from '../../shared/contract/features/webhooks.ts';
import { preparedStatement } from '../../shared/db/client.ts';
import type { JobPayload, WebhookNews } from '../../shared/db/jobs.ts';
import { addJob } from '../../shared/db/jobs.ts';
import {
  cancelDeliveries,
  keyText,
  type LockedSubscription,
  type WebhookTables,
} from '../../shared/db/webhook-subscriptions.ts';
import type { AttemptOutcome } from './outcome.ts';
import { saveOutcomes } from './save-outcomes.ts';

/**
 * Stores outcomes, counts failures, deactivates subscriptions with too many failures in a row, and notifies their
 * owners. The subscriptions must be locked. Returns them in their new state.
 */
export async function settle(
  db: Kysely<WebhookTables>,
  outcomes: readonly AttemptOutcome[],
  locked: readonly LockedSubscription[],
): Promise<LockedSubscription[]> {
  const accepted = Map.groupBy(await saveOutcomes(db, outcomes), keyText);
  const changed: LockedSubscription[] = [];
  const news: JobPayload<'tell_owner'>[] = [];
  const subscriptions = locked.map((before) => {
    const after = countedIn(before, accepted.get(keyText(before)) ?? []);
    if (after === before) return before;
    changed.push(after);
    const { site_id, subscription_id } = after;
    news.push(...newsOf(before, after).map((one) => ({ site_id, subscription_id, news: one })));
    return after;
  });
  await saveFailures(db, changed);
  await cancelDeliveries(
    db,
    changed.filter(({ active }) => !active),
  );
  for (const one of news) await sql`select ${addJob('tell_owner', one)}`.execute(db);
  return subscriptions;
}

/**
 * Returns the notices for the owner. Each is sent once per series of failures, even if both thresholds are reached
 * together.
 */
const newsOf = (before: LockedSubscription, after: LockedSubscription): WebhookNews[] => [
  ...(isWorthNotifying(before, after) ? ['failing' as const] : []),
  ...(before.active && !after.active ? ['switched_off' as const] : []),
];

/** Returns the subscription with the outcomes counted, or `before` itself if nothing changed. */
function countedIn(before: LockedSubscription, outcomes: readonly AttemptOutcome[]): LockedSubscription {
  const failures = countFailures(before, outcomes);
  const { acknowledged_began, failed_began } = failures;
  const same =
    acknowledged_began === before.acknowledged_began && failed_began.length === before.failed_began.length;
  if (same) return before;
  return {
    ...before,
    acknowledged_began,
    failed_began: [...failed_began],
    consecutive_failures: failed_began.length,
    active: before.active && !shouldSwitchOff(failures),
  };
}

async function saveFailures(
  db: Kysely<WebhookTables>,
  subscriptions: readonly LockedSubscription[],
): Promise<void> {
  if (subscriptions.length === 0) return;
  const counters = subscriptions.map(
    ({ site_id, subscription_id, acknowledged_began, failed_began, active }) => ({
      site_id,
      subscription_id,
      acknowledged_began,
      failed_began,
      active,
    }),
  );
  await sql`${preparedStatement}
    update webhook_subscriptions s set acknowledged_began = n.acknowledged_began, failed_began = n.failed_began, active = n.active,
      updated = case when s.active = n.active and s.failed_began = n.failed_began then s.updated else clock_timestamp() end
    from json_to_recordset(${JSON.stringify(counters)}::json)
      as n(site_id text, subscription_id text, acknowledged_began float8, failed_began float8[], active boolean)
    where s.site_id = n.site_id and s.id = n.subscription_id`.execute(db);
}

/** Failures in a row of one subscription, identified by the start times of their attempts. */
export interface Failures {
  /** Start time of the latest acknowledged attempt, in microseconds since 1970; 0 before the first. */
  acknowledged_began: number;
  /** Start times of the failed attempts that started later, in the same unit. */
  failed_began: readonly number[];
}

/**
 * Counts failures in a row after these outcomes, in the order in which attempts started. An attempt that hangs and
 * fails late precedes attempts that started after it and were acknowledged. A receiver that occasionally hangs is
 * therefore not considered dead. Requested attempts do not count.
 */
export function countFailures(before: Failures, outcomes: readonly AttemptOutcome[]): Failures {
  const counted = outcomes.filter(({ scheduled }) => scheduled !== null);
  const acknowledged = counted.filter(({ status }) => status === 'delivered').map(({ began }) => began);
  const acknowledged_began = Math.max(before.acknowledged_began, ...acknowledged);
  const failed = counted.filter(isReceiversFailure).map(({ began }) => began);
  const failed_began = [...before.failed_began, ...failed].filter((began) => began > acknowledged_began);
  return { acknowledged_began, failed_began };
}

/** Returns true if the failures in a row have just reached the number for a notice. */
const isWorthNotifying = (before: Failures, after: Failures) =>
  before.failed_began.length < webhooks.failuresToNotify &&
  after.failed_began.length >= webhooks.failuresToNotify;

/** Returns true if there are enough failures in a row to deactivate a subscription. */
export const shouldSwitchOff = ({ failed_began }: Failures) =>
  failed_began.length >= webhooks.failuresToDisable;

/** Returns true if the receiver failed. Attempts that this service could not send do not count against it. */
const isReceiversFailure = ({ status, error }: AttemptOutcome) =>
  (status === 'retrying' || status === 'failed') && error !== null && error !== 'secret_unreadable';
