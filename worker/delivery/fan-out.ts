import { type Kysely, sql } from 'kysely';
import { eventNames, patternsFor } from '../../shared/contract/events.ts';
import type { RandomBytes } from '../../shared/contract/random-text.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import type { WorkerDeps } from '../deps.ts';
import type { SubscriptionKey } from './subscription-key.ts';

/** Most events of one transaction. */
const batchSize = 200;

interface AwaitingEvent {
  site_id: string;
  event_id: string;
  event: string;
}

type Match = AwaitingEvent & SubscriptionKey;

/** What a subscription may list to get an event, by its name. */
const patterns = JSON.stringify(Object.fromEntries(eventNames.map((name) => [name, patternsFor(name)])));

/**
 * Writes one delivery per matching subscription for the events that await it, oldest first, and answers which
 * subscriptions have something new. An event is fanned out once, however many workers and jobs try.
 */
export async function fanOut({ database, randomBytes }: WorkerDeps): Promise<SubscriptionKey[]> {
  const touched: SubscriptionKey[] = [];
  for (let events = batchSize; events === batchSize; ) {
    const batch = await database.em.fork().transactional(async (em) => {
      const db: Kysely<unknown> = em.getKysely();
      await sql`set local synchronous_commit = off`.execute(db);
      return fanOutBatch(db, randomBytes);
    });
    touched.push(...batch.matches);
    events = batch.events;
  }
  return touched;
}

async function fanOutBatch(db: Kysely<unknown>, randomBytes: RandomBytes) {
  const { rows: events } = await sql<AwaitingEvent>`
    select site_id, id as event_id, name as event from events where awaits_fan_out
    order by occurred_at limit ${batchSize} for update skip locked`.execute(db);
  if (events.length === 0) return { events: 0, matches: [] };
  const { rows: matches } = await sql<Match>`
    with done as (
      update events e set awaits_fan_out = false
      from unnest(${events.map(({ site_id }) => site_id)}::text[], ${events.map(({ event_id }) => event_id)}::text[]) as a(site_id, id)
      where e.site_id = a.site_id and e.id = a.id
      returning e.site_id, e.id, e.name
    )
    select done.site_id, done.id as event_id, done.name as event, s.id as subscription_id
    from done join webhook_subscriptions s on s.site_id = done.site_id and s.active
      and s.events && array(select jsonb_array_elements_text(${patterns}::jsonb -> done.name))`.execute(db);
  if (matches.length > 0) await insertDeliveries(db, matches, randomBytes);
  return { events: events.length, matches };
}

async function insertDeliveries(db: Kysely<unknown>, matches: Match[], randomBytes: RandomBytes) {
  const now = new Date();
  const column = (name: keyof Match) => matches.map((match) => match[name]);
  await sql`
    insert into webhook_deliveries
      (id, site_id, subscription_id, event_id, event, status, attempt_count, due_at, created, updated)
    select n.*, 'pending', 0, now(), now(), now()
    from unnest(${matches.map(() => newRecordId(now, randomBytes))}::text[], ${column('site_id')}::text[],
      ${column('subscription_id')}::text[], ${column('event_id')}::text[], ${column('event')}::text[]) as n
    on conflict do nothing`.execute(db);
}
