import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { preparedStatement } from './client.ts';
import type { WebhookAttempt, WebhookDelivery, WebhookSubscription } from './entities/webhooks.ts';

/** Types of the webhook tables, from their entities: `em.getKysely<WebhookTables>()`. */
export type WebhookTables = InferKyselyDB<
  typeof WebhookSubscription | typeof WebhookDelivery | typeof WebhookAttempt
>;

/** Key of a subscription. IDs are unique within a site. */
export interface SubscriptionKey {
  site_id: string;
  subscription_id: string;
}

export const keyText = ({ site_id, subscription_id }: SubscriptionKey) => `${site_id}/${subscription_id}`;

/**
 * Locks subscriptions, and returns those that exist in the order of their keys. Code that changes subscriptions or
 * their deliveries calls it first. All transactions then lock in one order, which prevents deadlocks.
 */
export function lockSubscriptions(db: Kysely<WebhookTables>, keys: readonly SubscriptionKey[]) {
  return db
    .selectFrom('webhook_subscriptions')
    .select(['site_id', 'id as subscription_id', 'url', 'active', 'updated'])
    .select(['secret_sealed', 'previous_secret_sealed', 'previous_secret_expires_at'])
    .select(['acknowledged_began', 'failed_began', 'consecutive_failures'])
    .where(isOneOf(keys, sql.ref('id')))
    .orderBy('site_id')
    .orderBy('id')
    .forNoKeyUpdate()
    .modifyFront(preparedStatement)
    .execute();
}

/** Subscription as read when it was locked. */
export type LockedSubscription = Awaited<ReturnType<typeof lockSubscriptions>>[number];

/**
 * Cancels all scheduled attempts to these subscriptions, including running ones, because an inactive subscription
 * receives nothing. Attempts that an owner requested are still made.
 */
export async function cancelDeliveries(
  db: Kysely<WebhookTables>,
  keys: readonly SubscriptionKey[],
): Promise<void> {
  await cancel(db, keys, {
    waiting: sql`due_at is not null`,
    set: sql`status = case when asked_at is null then 'cancelled' else status end, due_at = null,
      lease_until = case when asked_at is not null then lease_until end`,
  });
}

/** Cancels attempts that owners requested, for subscriptions that were deleted or that their owner turned off. */
export async function cancelRequested(
  db: Kysely<WebhookTables>,
  keys: readonly SubscriptionKey[],
): Promise<void> {
  await cancel(db, keys, {
    waiting: sql`asked_at is not null`,
    set: sql`status = case status when 'delivered' then status else 'cancelled' end, asked_at = null, in_replay = false,
      due_at = null, lease_until = null`,
  });
}

/**
 * Maximum number of deliveries per statement. All deliveries of a subscription could exceed a statement's time limit.
 */
const atOnce = 20_000;

async function cancel(
  db: Kysely<WebhookTables>,
  keys: readonly SubscriptionKey[],
  { waiting, set }: Record<'waiting' | 'set', RawBuilder<unknown>>,
): Promise<void> {
  if (keys.length === 0) return;
  let cancelled: bigint | undefined;
  do {
    // The join uses keys, not `ctid`. If another transaction just changed a row, its `ctid` would be that of a version
    // that this statement cannot see yet.
    ({ numAffectedRows: cancelled } = await sql`
      update webhook_deliveries d set ${set}, updated = clock_timestamp()
      from (
        select site_id, id from webhook_deliveries
        where ${isOneOf(keys, sql.ref('subscription_id'))} and ${waiting} limit ${atOnce} for update
      ) part
      where d.site_id = part.site_id and d.id = part.id`.execute(db));
  } while (cancelled);
}

/**
 * SQL condition: subscription `s` receives event `e`, if it also matches by name. The restriction to collections
 * applies to content events only.
 */
export const isOfCollections = sql<boolean>`case when s.collections is null or not starts_with(e.name, 'content.') then true
  else e.body::json -> 'data' ->> 'collection' = any (s.collections) end`;

/** SQL condition: a row belongs to one of the subscriptions. `column` holds the subscription's ID. */
const isOneOf = (keys: readonly SubscriptionKey[], column: ReturnType<typeof sql.ref>) =>
  sql<boolean>`(site_id, ${column}) in (select * from unnest(
    ${keys.map(({ site_id }) => site_id)}::text[], ${keys.map(({ subscription_id }) => subscription_id)}::text[]))`;
