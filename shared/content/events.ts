import { type RawBuilder, sql } from 'kysely';
import { type NewEvent, patternsFor } from '../contract/events.ts';
import type { RandomBytes } from '../contract/random-text.ts';
import { newRecordId } from '../contract/record-id.ts';
import { eventfulCollections } from '../contract/resources/index.ts';
import { addJob } from '../db/add-job.ts';

/** What makes ids of its own. */
export interface ContentDeps {
  clock: { now(): Date };
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

/** An event, and whose it is; the slug of its record where only the statement that gives it one knows it. */
export type SiteEvent = NewEvent & { siteId: string; slug?: RawBuilder<string> | undefined };

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
 * (`server/features/events/event-log.ts`). The body is stored as the very text that deliveries send and sign.
 */
export function recordedEvents(
  deps: ContentDeps,
  { events, after }: { events: readonly [SiteEvent, ...SiteEvent[]]; after?: string },
): { parts: RawBuilder<unknown>; wake: RawBuilder<unknown> } {
  const ids = events.map(() => newRecordId(deps.clock.now(), deps.randomBytes));
  const rows = events.map(
    (event, place) =>
      sql`(${event.siteId}::text, ${ids[place]}::text, ${event.name}::text, ${textOf(event)}, ${patternsFor(event.name)}::text[])`,
  );
  const parts = sql`recorded as (
      insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
      select site_id, id, name,
        format('{"event":"%s","timestamp":"%s","data":%s}',
          name, to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), data),
        moment,
        exists (select from webhook_subscriptions s where s.site_id = told.site_id and s.active and s.events && told.patterns)
      from (
        select happened.*, clock_timestamp() as moment
        from ${after ? sql`${sql.ref(after)},` : sql``} lateral (values ${sql.join(rows)}) as happened (site_id, id, name, data, patterns)
      ) as told
      returning awaits_fan_out
    )`;
  const job = addJob('fan_out_event', { site_id: events[0].siteId, event_id: ids[0] ?? '' });
  return { parts, wake: sql`select ${job} from recorded where awaits_fan_out limit 1` };
}
