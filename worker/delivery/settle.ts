import { type Kysely, sql } from 'kysely';
import {
  cancelDeliveries,
  keyText,
  type LockedSubscription,
  type WebhookTables,
} from '../../shared/db/webhook-subscriptions.ts';
import { countFailures, isExhausted } from './failures.ts';
import type { Outcome } from './outcome.ts';

/**
 * Writes how attempts ended, counts failures, and switches off the subscriptions whose tenth in a row this was. The
 * subscriptions are locked; gives them as they are then.
 */
export async function settle(
  db: Kysely<WebhookTables>,
  outcomes: readonly Outcome[],
  locked: readonly LockedSubscription[],
): Promise<LockedSubscription[]> {
  const accepted = Map.groupBy(await saveOutcomes(db, outcomes), keyText);
  const changed: LockedSubscription[] = [];
  const subscriptions = locked.map((before) => {
    const after = countedIn(before, accepted.get(keyText(before)) ?? []);
    if (after !== before) changed.push(after);
    return after;
  });
  await saveFailures(db, changed);
  await cancelDeliveries(
    db,
    changed.filter(({ active }) => !active),
  );
  return subscriptions;
}

/** The same subscription when its outcomes change nothing. */
function countedIn(before: LockedSubscription, outcomes: readonly Outcome[]): LockedSubscription {
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
    active: before.active && !isExhausted(failures),
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
  await sql`
    update webhook_subscriptions s set acknowledged_began = n.acknowledged_began, failed_began = n.failed_began, active = n.active,
      updated = case when s.active = n.active and s.failed_began = n.failed_began then s.updated else clock_timestamp() end
    from json_to_recordset(${JSON.stringify(counters)}::json)
      as n(site_id text, subscription_id text, acknowledged_began float8, failed_began float8[], active boolean)
    where s.site_id = n.site_id and s.id = n.subscription_id`.execute(db);
}

/**
 * Gives those that were written. An outcome whose claim is no longer the one under way is ignored: another worker has
 * taken the delivery over.
 */
async function saveOutcomes(db: Kysely<WebhookTables>, outcomes: readonly Outcome[]): Promise<Outcome[]> {
  if (outcomes.length === 0) return [];
  const { rows } = await sql<{ site_id: string; id: string }>`
    update webhook_deliveries d set lease_until = null, updated = clock_timestamp(),
      attempt_count = d.attempt_count - (o.status = 'given_back')::integer,
      due_at = clock_timestamp() + case o.status when 'given_back' then 0 else o.retry_in end * interval '1 second',
      status = case o.status when 'given_back' then d.status else o.status end,
      last_status_code = case o.status when 'given_back' then d.last_status_code else o.last_status_code end,
      error = case o.status when 'given_back' then d.error else o.error end
    from json_to_recordset(${JSON.stringify(outcomes)}::json)
      as o(site_id text, id text, attempt integer, lease_until timestamptz, status text, last_status_code integer, error text, retry_in float8)
    where d.site_id = o.site_id and d.id = o.id and d.attempt_count = o.attempt and d.lease_until = o.lease_until
    returning d.site_id, d.id`.execute(db);
  const accepted = new Set(rows.map(deliveryText));
  return outcomes.filter((outcome) => accepted.has(deliveryText(outcome)));
}

const deliveryText = ({ site_id, id }: { site_id: string; id: string }) => `${site_id}/${id}`;
