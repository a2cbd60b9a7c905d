import { type Kysely, sql } from 'kysely';
import { webhooks } from '../../shared/contract/limits.ts';
import type { Database } from '../../shared/db/config.ts';
import { bySubscription, countFailures, isExhausted, type Outcome } from './outcome.ts';
import { keyText, type SubscriptionKey } from './subscription-key.ts';

/** An attempt that this process may make now, until its lease runs out. */
export interface Claim extends SubscriptionKey {
  id: string;
  attempt: number;
  event: string;
  body: string;
  url: string;
  secret_sealed: string;
}

interface Subscription extends SubscriptionKey {
  url: string;
  secret_sealed: string;
  active: boolean;
  consecutive_failures: number;
}

interface RoundInput {
  /** How attempts of this process ended since the last round. */
  outcomes: readonly Outcome[];
  /** Subscriptions to claim attempts for, if any are due. */
  wanted: readonly SubscriptionKey[];
  /** Most attempts to claim for each. */
  perSubscription: number;
  leaseMs: number;
}

/**
 * One transaction of the delivery loop: writes outcomes, counts failures, switches subscriptions off, and claims what
 * is due. Its subscriptions are locked first and in one order, so rounds of several workers follow one another.
 *
 * A subscription has never more attempts under way than failures it may still collect. So the attempt whose failure
 * switches it off is the last one there is: nothing is sent afterwards, and a dead receiver gets exactly ten.
 */
export function runRound(
  database: Database,
  { outcomes, wanted, perSubscription, leaseMs }: RoundInput,
): Promise<Claim[]> {
  return database.em.fork().transactional(async (em) => {
    const db: Kysely<unknown> = em.getKysely();
    const subscriptions = await lockSubscriptions(db, [...outcomes, ...wanted]);
    if (outcomes.length > 0) await settle(db, outcomes, subscriptions);
    const open = wanted.filter((key) => subscriptions.get(keyText(key))?.active);
    await cancelDeliveries(
      db,
      wanted.filter((key) => !open.includes(key)),
    );
    if (open.length === 0) return [];
    return claim(
      db,
      open.flatMap((key) => subscriptions.get(keyText(key)) ?? []),
      { perSubscription, leaseMs },
    );
  });
}

async function lockSubscriptions(db: Kysely<unknown>, keys: readonly SubscriptionKey[]) {
  const { rows } = await sql<Subscription>`
    select site_id, id as subscription_id, url, secret_sealed, active, consecutive_failures
    from webhook_subscriptions where (site_id, id) in (select * from ${keyRows(keys)})
    order by site_id, id for no key update`.execute(db);
  return new Map(rows.map((row) => [keyText(row), row]));
}

/** Outcomes whose attempt is no longer the one under way are ignored: another worker has taken it over. */
async function settle(
  db: Kysely<unknown>,
  outcomes: readonly Outcome[],
  subscriptions: Map<string, Subscription>,
) {
  const { rows } = await sql<{ id: string }>`
    update webhook_deliveries d set status = o.status, last_status_code = o.last_status_code, error = o.error,
      due_at = clock_timestamp() + o.retry_in * interval '1 second', lease_until = null, updated = clock_timestamp()
    from json_to_recordset(${JSON.stringify(outcomes)}::json)
      as o(site_id text, id text, attempt integer, status text, last_status_code integer, error text, retry_in float8)
    where d.site_id = o.site_id and d.id = o.id and d.attempt_count = o.attempt and d.lease_until is not null
    returning d.id`.execute(db);
  const accepted = new Set(rows.map(({ id }) => id));
  const counted = bySubscription(outcomes.filter(({ id }) => accepted.has(id)));
  const changed = [...counted].flatMap(([key, ended]) => {
    const subscription = subscriptions.get(key);
    if (!subscription) return [];
    const before = subscription.consecutive_failures;
    subscription.consecutive_failures = countFailures(before, ended);
    if (isExhausted(subscription.consecutive_failures)) subscription.active = false;
    return subscription.consecutive_failures === before ? [] : [subscription];
  });
  await saveCounters(db, changed);
}

async function saveCounters(db: Kysely<unknown>, subscriptions: readonly Subscription[]) {
  if (subscriptions.length === 0) return;
  await sql`
    update webhook_subscriptions s set consecutive_failures = n.consecutive_failures, active = n.active, updated = clock_timestamp()
    from json_to_recordset(${JSON.stringify(subscriptions)}::json)
      as n(site_id text, subscription_id text, consecutive_failures integer, active boolean)
    where s.site_id = n.site_id and s.id = n.subscription_id`.execute(db);
  await cancelDeliveries(
    db,
    subscriptions.filter(({ active }) => !active),
  );
}

/** A subscription that is off or gone gets nothing more. */
async function cancelDeliveries(db: Kysely<unknown>, keys: readonly SubscriptionKey[]) {
  if (keys.length === 0) return;
  await sql`
    update webhook_deliveries set status = 'cancelled', due_at = null, lease_until = null, updated = clock_timestamp()
    where (site_id, subscription_id) in (select * from ${keyRows(keys)}) and due_at is not null`.execute(db);
}

async function claim(
  db: Kysely<unknown>,
  from: readonly Subscription[],
  { perSubscription, leaseMs }: { perSubscription: number; leaseMs: number },
) {
  const slots = from.map(({ site_id, subscription_id, consecutive_failures }) => ({
    site_id,
    subscription_id,
    most: webhooks.failuresToDisable - consecutive_failures,
  }));
  const { rows } = await sql<Omit<Claim, 'url' | 'secret_sealed'>>`
    with slot as (
      select s.*, greatest(0, least(${perSubscription}, s.most - (
        select count(*) from webhook_deliveries d
        where d.site_id = s.site_id and d.subscription_id = s.subscription_id and d.lease_until > clock_timestamp()
      ))) as free
      from json_to_recordset(${JSON.stringify(slots)}::json) as s(site_id text, subscription_id text, most integer)
    ),
    picked as (
      select d.* from slot cross join lateral (
        select site_id, id from webhook_deliveries d
        where d.site_id = slot.site_id and d.subscription_id = slot.subscription_id
          and d.due_at <= statement_timestamp() and d.attempt_count < ${webhooks.attempts}
        order by d.due_at limit slot.free
      ) d
    )
    update webhook_deliveries d set attempt_count = d.attempt_count + 1, updated = clock_timestamp(),
      lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond', due_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    from picked p, events e
    where d.site_id = p.site_id and d.id = p.id and e.site_id = d.site_id and e.id = d.event_id
    returning d.site_id, d.subscription_id, d.id, d.attempt_count as attempt, d.event, e.body`.execute(db);
  const byKey = new Map(from.map((subscription) => [keyText(subscription), subscription]));
  return rows.flatMap((row) => {
    const subscription = byKey.get(keyText(row));
    return subscription ? [{ ...row, url: subscription.url, secret_sealed: subscription.secret_sealed }] : [];
  });
}

const keyRows = (keys: readonly SubscriptionKey[]) =>
  sql`unnest(${keys.map(({ site_id }) => site_id)}::text[], ${keys.map(({ subscription_id }) => subscription_id)}::text[])`;
