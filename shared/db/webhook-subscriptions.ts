import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { preparedStatement } from './client.ts';
import type { WebhookAttempt, WebhookDelivery, WebhookSubscription } from './entities/webhooks.ts';

/** The tables of webhooks, as their entities declare them: `em.getKysely<WebhookTables>()`. */
export type WebhookTables = InferKyselyDB<
  typeof WebhookSubscription | typeof WebhookDelivery | typeof WebhookAttempt
>;

/** Which subscription: ids are unique within a site. */
export interface SubscriptionKey {
  site_id: string;
  subscription_id: string;
}

export const keyText = ({ site_id, subscription_id }: SubscriptionKey) => `${site_id}/${subscription_id}`;

/**
 * Whoever changes subscriptions or their deliveries locks them by this first, so that all do it in one order and none
 * waits for another in a circle. Gives those that there are, in that order.
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

/** A subscription as it was when it was locked. */
export type LockedSubscription = Awaited<ReturnType<typeof lockSubscriptions>>[number];

/**
 * Ends all deliveries to these subscriptions that wait or are under way by themselves: one that is off gets nothing more.
 * What somebody asked for by hand is sent all the same.
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

/** Takes back what was asked for by hand, for subscriptions that are gone, or that their owner switches off. */
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

/** Deliveries of one statement: all that have gathered for a subscription may take longer than one may. */
const atOnce = 20_000;

async function cancel(
  db: Kysely<WebhookTables>,
  keys: readonly SubscriptionKey[],
  { waiting, set }: Record<'waiting' | 'set', RawBuilder<unknown>>,
): Promise<void> {
  if (keys.length === 0) return;
  let cancelled: bigint | undefined;
  do {
    // By their keys: of one that another transaction has just changed, `ctid` would be that of a row which isn't seen yet.
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
 * SQL: whether subscription `s` hears of event `e`, once its name matches: what it is narrowed to holds for content only.
 */
export const isOfCollections = sql<boolean>`case when s.collections is null or not starts_with(e.name, 'content.') then true
  else e.body::json -> 'data' ->> 'collection' = any (s.collections) end`;

/** Whether a row of some site belongs to one of the subscriptions; `column` holds the subscription's id. */
const isOneOf = (keys: readonly SubscriptionKey[], column: ReturnType<typeof sql.ref>) =>
  sql<boolean>`(site_id, ${column}) in (select * from unnest(
    ${keys.map(({ site_id }) => site_id)}::text[], ${keys.map(({ subscription_id }) => subscription_id)}::text[]))`;
