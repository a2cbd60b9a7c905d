import { sql } from 'kysely';
import { z } from 'zod';
import type { EventName } from '../../shared/contract/events.ts';
import { LoggedEvent } from '../../shared/contract/features/events.ts';
import { retentionDays } from '../../shared/contract/limits.ts';
import { recordIdPattern } from '../../shared/contract/record-id.ts';
import { parseDateTime } from '../../shared/contract/timestamps.ts';
import { decodeToken, encodeToken } from '../api/cursor-codec.ts';
import type { Deps } from '../api/deps.ts';

/**
 * Position of an event in the log. The timestamp is PostgreSQL's own text, because a Date would lose its microseconds.
 */
export interface EventPosition {
  moment: string;
  id: string;
}

/** Event as stored in the log. */
export interface LogRow extends EventPosition {
  site_id: string;
  name: EventName;
  body: string;
}

/** Start and direction of reading. */
export interface LogPosition {
  direction: 'newest_first' | 'oldest_first';
  /** Excludes events before this time. */
  since?: Date;
  after?: EventPosition;
}

type LogDeps = Pick<Deps, 'database'>;

/** Time up to which the log can be read, and the database's current time. */
interface Horizon {
  moment: string;
  now: string;
}

/**
 * Returns the time up to which the log can be read.
 *
 * An event is timestamped while its transaction writes. A transaction that commits late could add an event behind a
 * reader's position. Reading therefore stops at the earliest start of a transaction that is still writing, and every
 * later event has a later timestamp.
 *
 * If no transaction writes, all events of the site `siteId` can be read, even after the clock was set back. New
 * events are always later than the site's latest one.
 */
export async function readHorizon({ database }: LogDeps, siteId?: string): Promise<Horizon> {
  const latest =
    siteId === undefined
      ? sql`now()`
      : sql`greatest(now(), (select max(occurred_at) from events where site_id = ${siteId}) + interval '1 microsecond')`;
  const { rows } = await sql<Horizon>`
    select least(${latest}, min(xact_start))::text as moment, now()::text as now
    from pg_stat_activity where datname = current_database() and backend_xid is not null`.execute(
    database.em.getKysely(),
  );
  const [horizon] = rows;
  if (!horizon) throw new Error('PostgreSQL returned no row');
  return horizon;
}

/**
 * Returns the position of a site's latest readable event, or a position before all events if it has none.
 *
 * The query finds the timestamp by the index of a site's timestamps, and the ID by the index of all timestamps. An
 * empty text appended to `site_id` keeps PostgreSQL from using the log's index. It would read all rows of a site that
 * it considers small.
 */
export async function readLatest({ database }: LogDeps, siteId: string): Promise<EventPosition> {
  const { moment: before } = await readHorizon({ database }, siteId);
  const { rows } = await sql<EventPosition>`
    select id, occurred_at::text as moment from events
    where site_id || '' = ${siteId} and occurred_at = (
      select occurred_at from events where site_id = ${siteId} and occurred_at < ${before}::timestamptz
      order by occurred_at desc limit 1
    ) order by id desc limit 1`.execute(database.em.getKysely());
  // Lowest possible ID.
  return rows[0] ?? { moment: '1970-01-01 00:00:00+00', id: '0'.repeat(15) };
}

/**
 * Reads at most `limit` logged events of a site that are earlier than `before`, a horizon that was read earlier.
 * Events past their retention are excluded, because they are deleted only from time to time. Empty if there are none.
 *
 * Each event name is read separately, up to the limit, because its index has them in order.
 */
export async function readLog(
  { database }: LogDeps,
  siteId: string,
  events: readonly EventName[],
  { limit, before, direction, since, after }: LogPosition & { limit: number; before: string },
): Promise<LogRow[]> {
  const [order, beyond] = direction === 'newest_first' ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`];
  const { rows } = await sql<LogRow>`
    select site_id, id, name, body, moment from unnest(${[...events]}::text[]) as asked (event)
    cross join lateral (
      select site_id, id, name, body, occurred_at, occurred_at::text as moment from events
      where site_id = ${siteId} and name = asked.event and occurred_at < ${before}::timestamptz
        and occurred_at >= now() - ${retentionDays.events} * interval '1 day'
        ${since ? sql`and occurred_at >= ${since}` : sql``}
        ${after ? sql`and (occurred_at, id) ${beyond} (${after.moment}::timestamptz, ${after.id})` : sql``}
      order by occurred_at ${order}, id ${order} limit ${limit}
    ) as logged
    order by occurred_at ${order}, id ${order} limit ${limit}`.execute(database.em.getKysely());
  return rows;
}

const StoredBody = z.record(z.string(), z.unknown());

const withId = ({ id, body }: LogRow) => ({ id, ...StoredBody.parse(JSON.parse(body)) });

/** Converts a log row to the event that polling returns. */
export const logged = (row: LogRow): LoggedEvent => LoggedEvent.parse(withId(row));

/** Converts a log row to the event for followers, with its fields in the same order as in deliveries. */
export const asDelivered = (row: LogRow): LoggedEvent => Followed.parse(withId(row));

/** Schema that accepts any event, because the output contract of the procedure validates it. */
const Followed = z.custom<LoggedEvent>();

/**
 * True if `position` is after `other` in the log. PostgreSQL's texts of UTC timestamps sort chronologically, because `+` <
 * `.` < `0`.
 */
export const isAfter = (position: EventPosition, other: EventPosition) =>
  position.moment === other.moment ? position.id > other.id : position.moment > other.moment;

const Cursor = z.tuple([
  z.string(),
  z.enum(['newest_first', 'oldest_first']),
  z.string().refine(isTimestamp),
  z.string().regex(recordIdPattern),
]);

/**
 * Accepts timestamps as PostgreSQL writes them in UTC. The year 0, which RFC 3339 allows, is refused, because PostgreSQL
 * cannot read it.
 */
function isTimestamp(text: string): boolean {
  const [, withoutZone] = /^((?!0000)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?)\+00$/.exec(text) ?? [];
  return withoutZone !== undefined && parseDateTime(`${withoutZone}Z`) !== null;
}

/** Encodes a cursor, which is opaque to callers: event name, direction, and position of the last event returned. */
export function encodePollCursor(
  event: EventName,
  direction: LogPosition['direction'],
  { moment: timestamp, id }: EventPosition,
): string {
  return encodeToken([event, direction, timestamp, id]);
}

/** Decodes a cursor of `encodePollCursor`; null for any other text. */
export function decodePollCursor(cursor: string) {
  const { data } = Cursor.safeParse(decodeToken(cursor));
  if (!data) return null;
  const [event, direction, timestamp, id] = data;
  return { event, position: { direction, after: { moment: timestamp, id } } };
}
