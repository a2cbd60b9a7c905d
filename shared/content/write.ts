import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { type NewEvent, patternsFor } from '../contract/events.ts';
import type { Actor } from '../contract/history.ts';
import { keptRevisions } from '../contract/limits.ts';
import { newRecordId, type RandomBytes } from '../contract/record-id.ts';
import type { Resource } from '../contract/resource.ts';
import { eventfulCollections } from '../contract/resources/index.ts';
import type { Clock } from '../contract/timestamps.ts';
import { preparedStatement } from '../db/client.ts';
import type { Transaction } from '../db/config.ts';
import { addJob } from '../db/jobs.ts';
import { insertRevisions, pruneRevisions } from './history.ts';

/** Collection of a site, and the actor that writes to it. */
export interface ContentWriter {
  deps: ContentDeps;
  siteId: string;
  resource: Pick<Resource, 'collection' | 'fields'>;
  actor: Actor;
}

/** Write of a record, with its revision and events. */
export interface Write {
  /** SQL that executes the write, and returns a row if it changed one. */
  statement: RawBuilder<unknown>;
  id: string;
  /** Time of the write. */
  at: Date;
  events: readonly FiredEvent[];
  /** Revision to store; missing for a deletion, which moves the record to the trash. */
  revision?: { number: number; changed: readonly string[]; previous: RawBuilder<unknown> };
  /** Further common table expressions of the statement. */
  parts?: readonly RawBuilder<unknown>[];
  /** True if the statement's text is the same for all records of the collection, so that it can be prepared. */
  prepared?: boolean;
}

/**
 * Executes a write together with its revision and its events in one statement. If the write changed no row, it stores
 * neither.
 */
export async function carryOut(
  em: Transaction,
  { deps, siteId, resource: { collection }, actor }: ContentWriter,
  write: Write,
) {
  const { statement, id, at, revision, parts = [], prepared = false } = write;
  const [first, ...more] = write.events.map((event): SiteEvent => ({ siteId, ...event }));
  const recorded = first && recordedEvents(deps, { events: [first, ...more], after: 'written' });
  const all = [sql`written as (${statement})`, ...parts];
  if (revision) {
    const { number, changed, previous } = revision;
    all.push(
      sql`writes as (
        select ${siteId}::text as site_id, ${collection}::text as collection, ${id}::text as id,
          ${number}::integer as revision, ${changed}::text[] as changed, ${previous} as previous from written)`,
      insertRevisions(actor, at),
    );
    if (number > keptRevisions) all.push(pruneRevisions);
  }
  if (recorded) all.push(recorded.parts);
  await sql`${prepared ? preparedStatement : sql``}
    with ${sql.join(all)} ${recorded?.wake ?? sql`select from written`}`.execute(em.getKysely());
}

/** Dependencies of content writes, which create IDs. */
export interface ContentDeps {
  clock: Clock;
  randomBytes: RandomBytes;
}

/** Fields of a record that its events contain. */
export interface EventSubject {
  id: string;
  title?: unknown;
  slug?: unknown;
  is_draft?: unknown;
}

type ContentChange = 'content.created' | 'content.updated' | 'content.deleted';

/**
 * Returns the events of a write to a post, project or page; other collections have none. An update of a record that is
 * not a draft also fires `content.published`.
 */
export function contentEvents(
  written: string,
  { id, title, slug, is_draft }: EventSubject,
  change: ContentChange,
): NewEvent[] {
  const collection = eventfulCollections.find((name) => name === written);
  if (!collection) return [];
  const data = { id, collection, title: String(title), slug: String(slug) };
  const published = change === 'content.updated' && !is_draft;
  return [{ name: change, data }, ...(published ? [{ name: 'content.published' as const, data }] : [])];
}

/**
 * Event to record. Only the statement that executes the write determines the values of `computed`, which are SQL, and whether the event
 * fires: without `when`, it does.
 */
type FiredEvent = NewEvent & { computed?: Record<string, RawBuilder<string>>; when?: RawBuilder<boolean> };

/** Event with its site. */
export type SiteEvent = FiredEvent & { siteId: string };

/** SQL: text of an event's data. */
function textOf({ data, computed = {} }: SiteEvent): RawBuilder<string> {
  const names = Object.keys(computed);
  if (names.length === 0) return sql`${JSON.stringify(data)}::text`;
  const known = JSON.stringify(data, (name, value) => (names.includes(name) ? undefined : value));
  const added = Object.entries(computed).map(
    ([name, value]) => sql` || ${sql.lit(`,"${name}":`)} || to_json(${value})`,
  );
  return sql`${known.slice(0, -1)}::text${sql.join(added, sql``)} || '}'`;
}

/**
 * Builds the SQL that records events of one or several sites. It has parts of a `with`, and the final `select`, which
 * adds one job for the worker if an active subscription matches.
 *
 * `after` names the part that executes the write, if it is in the same statement. An event must be timestamped after
 * its transaction has written (`server/events/event-log.ts`). The timestamp is later than all events of the site, even
 * if the clock was set back. Subscriptions that were registered while the write waited count. The body is stored as the
 * exact text that deliveries send and sign.
 */
export function recordedEvents(
  deps: ContentDeps,
  { events, after }: { events: readonly [SiteEvent, ...SiteEvent[]]; after?: string },
): { parts: RawBuilder<unknown>; wake: RawBuilder<unknown> } {
  const ids = events.map(() => newRecordId(deps.clock.now(), deps.randomBytes));
  const rows = events.map(
    (event, position) =>
      sql`(${event.siteId}::text, ${ids[position]}::text, ${event.name}::text, ${textOf(event)}, ${patternsFor(event.name)}::text[], ${position + 1}::integer, ${event.when ?? sql`true`})`,
  );
  const parts = sql`recorded as (
      insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
      select site_id, id, name,
        format('{"event":"%s","timestamp":"%s","data":%s}',
          name, to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), data),
        moment,
        is_event_awaited(told.site_id, told.patterns)
      from (
        select happened.*, greatest(clock_timestamp(), (
            select max(occurred_at) from events where events.site_id = happened.site_id
          ) + place * interval '1 microsecond') as moment
        from ${after ? sql`${sql.ref(after)},` : sql``} lateral (values ${sql.join(rows)}) as happened (site_id, id, name, data, patterns, place, fires)
        where fires
      ) as told
      returning awaits_fan_out
    )`;
  const job = addJob('fan_out_event', { site_id: events[0].siteId, event_id: ids[0] ?? '' });
  return { parts, wake: sql`select ${job} from recorded where awaits_fan_out limit 1` };
}

/**
 * Records an event in the transaction of the write that it reports: both are committed, or neither is. Call it after the
 * write was flushed, because `readHorizon` (`server/events/event-log.ts`) relies on this order.
 *
 * An event in the log moves through these states:
 *
 *   recorded ──commit──▶ hidden while an older transaction is still writing ──▶ readable by polling and following
 *                        ──▶ deleted after its retention, unless a delivery still needs it (`worker/jobs/prune.ts`)
 *
 * If an active subscription matches, the event also awaits its fan-out into deliveries (`worker/deliveries/fan-out.ts`). The
 * two do not wait for each other.
 */
export async function recordEvent(em: EntityManager, deps: ContentDeps, event: SiteEvent) {
  const { parts, wake } = recordedEvents(deps, { events: [event] });
  await sql`${preparedStatement} with ${parts} ${wake}`.execute(em.getKysely());
}
