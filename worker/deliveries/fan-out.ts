import type { MikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { eventNames, patternsFor } from '../../shared/contract/events.ts';
import type { RandomBytes } from '../../shared/contract/record-id.ts';
import { preparedStatement } from '../../shared/db/client.ts';
import { insertDeliveries } from '../../shared/db/delivery-queue.ts';
import { isOfCollections, type SubscriptionKey } from '../../shared/db/webhook-subscriptions.ts';

/** Most events of one transaction. */
const batchSize = 200;

export interface FanOutDeps {
  database: MikroORM;
  randomBytes: RandomBytes;
}

/** An event that was taken, with a subscription that gets it; null when none does. */
interface Match {
  site_id: string;
  event_id: string;
  event: string;
  subscription_id: string | null;
}

/** What a subscription may list to get an event, by its name. */
const patterns = JSON.stringify(Object.fromEntries(eventNames.map((name) => [name, patternsFor(name)])));

/**
 * Writes one delivery per matching subscription for the events that await it, oldest first, and tells `wake` which
 * subscriptions have something new. An event is fanned out once, however many workers and jobs try.
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

/** The commit is not awaited on disk: if it is lost, so is all that came of it, and the events await their fan-out again. */
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
