import { type Kysely, sql } from 'kysely';
import { bySubscription, countFailures, isExhausted, type Outcome } from './outcome.ts';
import { cancelDeliveries, type Subscription, saveCounters } from './subscriptions.ts';

/**
 * Writes how attempts ended, counts failures, and switches off the subscriptions whose tenth in a row this was. The
 * subscriptions are locked, and are changed here as they are in the database.
 */
export async function settle(
  db: Kysely<unknown>,
  outcomes: readonly Outcome[],
  subscriptions: ReadonlyMap<string, Subscription>,
): Promise<void> {
  if (outcomes.length === 0) return;
  const accepted = await saveOutcomes(db, outcomes);
  const changed = [...bySubscription(accepted)].flatMap(([key, ended]) => {
    const subscription = subscriptions.get(key);
    return subscription && count(subscription, ended) ? [subscription] : [];
  });
  await saveCounters(db, changed);
  await cancelDeliveries(
    db,
    changed.filter(({ active }) => !active),
  );
}

/** An outcome whose attempt is no longer the one under way is ignored: another worker has taken it over. */
async function saveOutcomes(db: Kysely<unknown>, outcomes: readonly Outcome[]): Promise<Outcome[]> {
  const { rows } = await sql<{ site_id: string; id: string }>`
    update webhook_deliveries d set status = o.status, last_status_code = o.last_status_code, error = o.error,
      due_at = clock_timestamp() + o.retry_in * interval '1 second', lease_until = null, updated = clock_timestamp()
    from json_to_recordset(${JSON.stringify(outcomes)}::json)
      as o(site_id text, id text, attempt integer, status text, last_status_code integer, error text, retry_in float8)
    where d.site_id = o.site_id and d.id = o.id and d.attempt_count = o.attempt and d.lease_until is not null
    returning d.site_id, d.id`.execute(db);
  const accepted = new Set(rows.map(deliveryText));
  return outcomes.filter((outcome) => accepted.has(deliveryText(outcome)));
}

const deliveryText = ({ site_id, id }: { site_id: string; id: string }) => `${site_id}/${id}`;

/** Whether that changed anything. */
function count(subscription: Subscription, ended: readonly Outcome[]): boolean {
  const before = subscription.consecutive_failures;
  subscription.consecutive_failures = countFailures(before, ended);
  if (isExhausted(subscription.consecutive_failures)) subscription.active = false;
  return subscription.consecutive_failures !== before;
}
