import { type RawBuilder, sql } from 'kysely';
import { type NewEvent, patternsFor } from '../contract/events.ts';
import type { Actor } from '../contract/history.ts';
import { keptRevisions } from '../contract/limits.ts';
import type { Clock } from '../contract/moments.ts';
import { newRecordId, type RandomBytes } from '../contract/record-id.ts';
import type { Resource } from '../contract/resource.ts';
import { eventfulCollections } from '../contract/resources/index.ts';
import { preparedStatement } from '../db/client.ts';
import type { Transaction } from '../db/config.ts';
import { addJob } from '../db/jobs.ts';
import { insertRevisions, pruneRevisions } from './history.ts';

/** The records of one collection of a site, and who writes them. */
export interface ContentWriter {
  deps: ContentDeps;
  siteId: string;
  resource: Pick<Resource, 'collection' | 'fields'>;
  actor: Actor;
}

/** A write as its history tells it. */
export interface Write {
  /** SQL that carries it out, and returns a row if it did. */
  statement: RawBuilder<unknown>;
  id: string;
  /** When it was. */
  at: Date;
  events: readonly FiredEvent[];
  /** What it leaves for others to find; nothing for a deletion, which goes to the trash. */
  revision?: { number: number; changed: readonly string[]; previous: RawBuilder<unknown> };
  /** More parts of the statement. */
  parts?: readonly RawBuilder<unknown>[];
  /** Whether its text is the same for all records of the collection. */
  prepared?: boolean;
}

/** Carries out a write with its place in the history of the record and the events it fires: one statement. */
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

/** What makes ids of its own. */
export interface ContentDeps {
  clock: Clock;
  randomBytes: RandomBytes;
}

/** What an event tells of a record. */
export interface EventSubject {
  id: string;
  title?: unknown;
  slug?: unknown;
  is_draft?: unknown;
}

type ContentChange = 'content.created' | 'content.updated' | 'content.deleted';

/**
 * What a write to a post, project or page fires; other collections fire nothing. An update of what is not a draft fires
 * `content.published` as well.
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

/** What happened; SQL tells the slug of a new record, which only the statement knows that stores it. */
type FiredEvent = NewEvent & { slug?: RawBuilder<string> };

/** An event, and whose it is. */
export type SiteEvent = FiredEvent & { siteId: string };

/** SQL of the text of an event's data. */
function textOf({ data, slug }: SiteEvent): RawBuilder<string> {
  if (!slug) return sql`${JSON.stringify(data)}::text`;
  const known = JSON.stringify({ ...data, slug: undefined });
  return sql`${known.slice(0, -1)}::text || ',"slug":' || to_json(${slug}) || '}'`;
}

/**
 * SQL that records events, of one site or of several: parts of a `with`, and the `select` behind them, which wakes the
 * worker by one job when an active subscription matches. `after` is the part that makes what the events tell of, if the
 * same statement does: an event's moment has to be taken when its transaction has already written
 * (`server/events/event-log.ts`), later than all of its site that are there, whatever the clock was set to since;
 * and a subscription counts that was registered while the write waited. The body
 * is stored as the very text that deliveries send and sign.
 */
export function recordedEvents(
  deps: ContentDeps,
  { events, after }: { events: readonly [SiteEvent, ...SiteEvent[]]; after?: string },
): { parts: RawBuilder<unknown>; wake: RawBuilder<unknown> } {
  const ids = events.map(() => newRecordId(deps.clock.now(), deps.randomBytes));
  const rows = events.map(
    (event, place) =>
      sql`(${event.siteId}::text, ${ids[place]}::text, ${event.name}::text, ${textOf(event)}, ${patternsFor(event.name)}::text[], ${place + 1}::integer)`,
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
        from ${after ? sql`${sql.ref(after)},` : sql``} lateral (values ${sql.join(rows)}) as happened (site_id, id, name, data, patterns, place)
      ) as told
      returning awaits_fan_out
    )`;
  const job = addJob('fan_out_event', { site_id: events[0].siteId, event_id: ids[0] ?? '' });
  return { parts, wake: sql`select ${job} from recorded where awaits_fan_out limit 1` };
}
