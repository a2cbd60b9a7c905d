import { type Kysely, sql } from 'kysely';
import { addJob } from '../../shared/db/add-job.ts';
import { preparedStatement } from '../../shared/db/client.ts';
import type { JobPayload, WebhookNews } from '../../shared/db/jobs.ts';
import {
  cancelDeliveries,
  keyText,
  type LockedSubscription,
  type WebhookTables,
} from '../../shared/db/webhook-subscriptions.ts';
import { countFailures, isWorthNotifying, shouldSwitchOff } from './failures.ts';
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
