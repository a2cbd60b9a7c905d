import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { z } from 'zod';
import { recordedEvents, type SiteEvent } from '../../shared/content/write.ts';
import type { EventName } from '../../shared/contract/events.ts';
import { LoggedEvent } from '../../shared/contract/features/events.ts';
import { retentionDays } from '../../shared/contract/limits.ts';
import { parseDateTime } from '../../shared/contract/moments.ts';
import { recordIdPattern } from '../../shared/contract/record-id.ts';
import { preparedStatement } from '../../shared/db/client.ts';
import { decodeWord, encodeWord } from '../api/cursor-codec.ts';
import type { Deps, StoreDeps } from '../api/deps.ts';

/**
 * Records an event in the transaction of the write that it reports: both are committed, or neither is. Call it after that
 * write has been flushed, because `readHorizon` relies on the order.
 */
export async function recordEvent(em: EntityManager, deps: StoreDeps, event: SiteEvent) {
  const { parts, wake } = recordedEvents(deps, { events: [event] });
  await sql`${preparedStatement} with ${parts} ${wake}`.execute(em.getKysely());
}

/** An event's place in the log. The moment is PostgreSQL's own text: it has microseconds, which a Date would lose. */
export interface EventPosition {
  moment: string;
  id: string;
}

/** An event as the log holds it. */
export interface LogRow extends EventPosition {
  site_id: string;
  name: EventName;
  body: string;
}

/** Which way a reader goes through the log, and after which event it goes on. */
export interface LogPosition {
  direction: 'newest_first' | 'oldest_first';
  /** Only events at or after this moment. */
  since?: Date;
  after?: EventPosition;
}

type LogDeps = Pick<Deps, 'database'>;

/** How far the log can be read, and what the database's clock shows. */
interface Horizon {
  moment: string;
  now: string;
}

/**
 * The moment up to which the log can be read. An event's moment is taken while its transaction writes, so one that commits
 * late could appear behind a reader that is already past it. Reading therefore stops at the earliest begin of any
 * transaction that is still writing: whatever appears later is later than all that was shown. Of one site all is read while
 * nobody writes, though the clock was set back since: whatever comes is later than what the site has.
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
 * A site's latest event that can be read: all that can't be yet will be later. Before all others where it has none.
 *
 * Its moment is found by the index of a site's moments, and its id by that of all moments: the sum of `site_id` and nothing
 * keeps PostgreSQL from the index of the log, of which it would read all that the site has where it thinks that to be little.
 */
export async function readLatest({ database }: LogDeps, siteId: string): Promise<EventPosition> {
  const { moment: before } = await readHorizon({ database }, siteId);
  const { rows } = await sql<EventPosition>`
    select id, occurred_at::text as moment from events
    where site_id || '' = ${siteId} and occurred_at = (
      select max(occurred_at) from events where site_id = ${siteId} and occurred_at < ${before}::timestamptz
    ) order by id desc limit 1`.execute(database.em.getKysely());
  // No id is lower than this one.
  return rows[0] ?? { moment: '1970-01-01 00:00:00+00', id: '0'.repeat(15) };
}

/**
 * Logged events of a site. It also stops at the age at which events are removed, since that happens now and then only, and at `before`, a horizon that was read earlier.
 * Each name is read by itself, up to the limit: its index has them in order.
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

/** What polling shows of a stored event. */
export const logged = (row: LogRow): LoggedEvent => LoggedEvent.parse(withId(row));

/** What followers are told of it: with its fields in the order in which deliveries have them. */
export const asDelivered = (row: LogRow): LoggedEvent => Followed.parse(withId(row));

/** The procedure's own contract says what it holds. */
const Followed = z.custom<LoggedEvent>();

/** Whether a place is behind another. PostgreSQL's texts of moments in UTC sort as the moments do: `+` < `.` < `0`. */
export const isAfter = (place: EventPosition, other: EventPosition) =>
  place.moment === other.moment ? place.id > other.id : place.moment > other.moment;

const Cursor = z.tuple([
  z.string(),
  z.enum(['newest_first', 'oldest_first']),
  z.string().refine(isMoment),
  z.string().regex(recordIdPattern),
]);

/** As PostgreSQL writes moments in UTC. The year 0 and other zones, which RFC 3339 has, it would not read. */
function isMoment(text: string): boolean {
  const [, withoutZone] = /^((?!0000)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?)\+00$/.exec(text) ?? [];
  return withoutZone !== undefined && parseDateTime(`${withoutZone}Z`) !== null;
}

/** Opaque to callers: event name, direction, and the place of the last event shown. */
export function encodePollCursor(
  event: EventName,
  direction: LogPosition['direction'],
  { moment, id }: EventPosition,
): string {
  return encodeWord([event, direction, moment, id]);
}

/** Of which event's log it is, and where it leads; null for what is no cursor. */
export function decodePollCursor(cursor: string) {
  const { data } = Cursor.safeParse(decodeWord(cursor));
  if (!data) return null;
  const [event, direction, moment, id] = data;
  return { event, position: { direction, after: { moment, id } } };
}
