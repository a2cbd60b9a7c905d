import { type Kysely, sql } from 'kysely';
import { keyText, type SubscriptionKey } from './subscription-key.ts';

/** A subscription as a round works on it, locked. */
export interface Subscription extends SubscriptionKey {
  url: string;
  secret_sealed: string;
  active: boolean;
  consecutive_failures: number;
}

/** Locked in one order, so that rounds of several workers follow one another. Deleted ones are missing. */
export async function lockSubscriptions(
  db: Kysely<unknown>,
  keys: readonly SubscriptionKey[],
): Promise<Map<string, Subscription>> {
  const { rows } = await sql<Subscription>`
    select site_id, id as subscription_id, url, secret_sealed, active, consecutive_failures
    from webhook_subscriptions where (site_id, id) in (select * from ${keyRows(keys)})
    order by site_id, id for no key update`.execute(db);
  return new Map(rows.map((row) => [keyText(row), row]));
}

export async function saveCounters(
  db: Kysely<unknown>,
  subscriptions: readonly Subscription[],
): Promise<void> {
  if (subscriptions.length === 0) return;
  const counters = subscriptions.map(({ site_id, subscription_id, consecutive_failures, active }) => ({
    site_id,
    subscription_id,
    consecutive_failures,
    active,
  }));
  await sql`
    update webhook_subscriptions s set consecutive_failures = n.consecutive_failures, active = n.active, updated = clock_timestamp()
    from json_to_recordset(${JSON.stringify(counters)}::json)
      as n(site_id text, subscription_id text, consecutive_failures integer, active boolean)
    where s.site_id = n.site_id and s.id = n.subscription_id`.execute(db);
}

/** A subscription that is off or gone gets nothing more. */
export async function cancelDeliveries(db: Kysely<unknown>, keys: readonly SubscriptionKey[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    update webhook_deliveries set status = 'cancelled', due_at = null, lease_until = null, updated = clock_timestamp()
    where (site_id, subscription_id) in (select * from ${keyRows(keys)}) and due_at is not null`.execute(db);
}

const keyRows = (keys: readonly SubscriptionKey[]) =>
  sql`unnest(${keys.map(({ site_id }) => site_id)}::text[], ${keys.map(({ subscription_id }) => subscription_id)}::text[])`;
