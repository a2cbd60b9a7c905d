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
 * Writes how attempts ended, counts failures, switches off the subscriptions whose tenth in a row this was, and has
 * their owners told. The subscriptions are locked; gives them as they are then.
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

/** What the owner has to be told: each once in a row of failures, also when both happen at once. */
const newsOf = (before: LockedSubscription, after: LockedSubscription): WebhookNews[] => [
  ...(isWorthNotifying(before, after) ? ['failing' as const] : []),
  ...(before.active && !after.active ? ['switched_off' as const] : []),
];

/** The same subscription when its outcomes change nothing. */
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

/** Failures in a row of one subscription, told by when their attempts began. */
export interface Failures {
  /** Begin of the latest-begun attempt that was acknowledged, in microseconds since 1970; 0 before the first. */
  acknowledged_began: number;
  /** Begins of the failed attempts that began after it, in the same unit. */
  failed_began: readonly number[];
}

/**
 * The failures in a row after these outcomes. They count in the order in which attempts began, not in that in which
 * they ended: an attempt that hangs and fails late stands before all that began and were acknowledged meanwhile, so a
 * receiver that now and then leaves one hanging is not taken for dead. Attempts that were asked for by hand count neither
 * for nor against it.
 */
export function countFailures(before: Failures, outcomes: readonly AttemptOutcome[]): Failures {
  const counted = outcomes.filter(({ scheduled }) => scheduled !== null);
  const acknowledged = counted.filter(({ status }) => status === 'delivered').map(({ began }) => began);
  const acknowledged_began = Math.max(before.acknowledged_began, ...acknowledged);
  const failed = counted.filter(isReceiversFailure).map(({ began }) => began);
  const failed_began = [...before.failed_began, ...failed].filter((began) => began > acknowledged_began);
  return { acknowledged_began, failed_began };
}

/** Whether a row of failures has just grown so long that the owner is told. */
const isWorthNotifying = (before: Failures, after: Failures) =>
  before.failed_began.length < webhooks.failuresToNotify &&
  after.failed_began.length >= webhooks.failuresToNotify;

/** Whether that many failures in a row switch a subscription off. */
export const shouldSwitchOff = ({ failed_began }: Failures) =>
  failed_began.length >= webhooks.failuresToDisable;

/** What can't be sent because of this service is held against no receiver. */
const isReceiversFailure = ({ status, error }: AttemptOutcome) =>
  (status === 'retrying' || status === 'failed') && error !== null && error !== 'secret_unreadable';
