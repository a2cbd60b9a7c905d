import type { MikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { eventNames, patternsFor } from '../../shared/contract/events.ts';
import type { RandomBytes } from '../../shared/contract/record-id.ts';
import { preparedStatement } from '../../shared/db/client.ts';
import { insertDeliveries } from '../../shared/db/delivery-queue.ts';
import { isOfCollections, type SubscriptionKey } from '../../shared/db/webhook-subscriptions.ts';

/** Maximum number of events per transaction. */
const batchSize = 200;

export interface FanOutDeps {
  database: MikroORM;
  randomBytes: RandomBytes;
}

/** Event with a subscription that receives it; `subscription_id` is null if none does. */
interface Match {
  site_id: string;
  event_id: string;
  event: string;
  subscription_id: string | null;
}

/** Event patterns of subscriptions that match an event, keyed by event name, as JSON. */
const patterns = JSON.stringify(Object.fromEntries(eventNames.map((name) => [name, patternsFor(name)])));

/**
 * Creates one delivery per matching subscription for events that await fan-out, oldest first, and passes the
 * subscriptions to `wake`. Each event is fanned out once, even if several workers and jobs run concurrently.
 */
export async function fanOut(
  { database, randomBytes }: FanOutDeps,
  wake: (subscriptions: readonly SubscriptionKey[]) => void,
) {
  for (let events = batchSize; events === batchSize; ) {
    const batch = await database.em.fork().transactional((em) => fanOutBatch(em.getKysely(), randomBytes));
    wake(batch.deliveries);
    events = batch.events;
  }
}

/** Fans out one batch. Its commit does not wait for the disk: if it is lost, the events still await fan-out. */
async function fanOutBatch(db: Kysely<unknown>, randomBytes: RandomBytes) {
  const { rows } = await sql<Match>`${preparedStatement}
    with unhurried as (select set_config('synchronous_commit', 'off', true)),
    awaiting as (
      select site_id, id from events, unhurried where awaits_fan_out
      order by occurred_at limit ${sql.lit(batchSize)} for update of events skip locked
    ),
    taken as (
      update events e set awaits_fan_out = false from awaiting a where e.site_id = a.site_id and e.id = a.id
      returning e.site_id, e.id, e.name, e.body
    )
    select e.site_id, e.id as event_id, e.name as event, s.id as subscription_id
    from taken e left join webhook_subscriptions s on s.site_id = e.site_id and s.active
      and s.events && array(select jsonb_array_elements_text(${patterns}::jsonb -> e.name)) and ${isOfCollections}`.execute(
    db,
  );
  const deliveries = rows.flatMap(({ subscription_id, ...event }) =>
    subscription_id === null ? [] : [{ ...event, subscription_id }],
  );
  await insertDeliveries(db, deliveries, { inReplay: false, randomBytes });
  return { events: new Set(rows.map(({ event_id }) => event_id)).size, deliveries };
}
