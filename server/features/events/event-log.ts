import { sql } from 'kysely';
import { z } from 'zod';
import { type EventName, LoggedEvent } from '../../../shared/contract/events.ts';
import { retentionDays } from '../../../shared/contract/limits.ts';
import type { Deps } from '../../kernel/deps.ts';
import type { LogRow, Place } from '../../kernel/following.ts';

/** Which way a reader goes through the log, and after which event it goes on. */
export interface LogPosition {
  direction: 'newest_first' | 'oldest_first';
  /** Only events at or after this moment. */
  since?: Date;
  after?: Place;
}

interface LogSlice extends LogPosition {
  siteId: string;
  events: readonly EventName[];
  limit: number;
  /** A horizon that was read before: only events before it. */
  before: string;
}

type LogDeps = Pick<Deps, 'database'>;

/**
 * The moment up to which the log can be read. An event's moment is taken while its transaction writes, so one that commits
 * late could appear behind a reader that is already past it. Reading therefore stops at the earliest begin of any
 * transaction that is still writing: whatever appears later is later than all that was shown.
 */
export async function readHorizon({ database }: LogDeps): Promise<string> {
  const { rows } = await sql<{ moment: string }>`
    select least(now(), min(xact_start))::text as moment
    from pg_stat_activity where datname = current_database() and backend_xid is not null`.execute(
    database.em.getKysely(),
  );
  const [horizon] = rows;
  if (!horizon) throw new Error('PostgreSQL gave no row for a sum');
  return horizon.moment;
}

/**
 * Logged events of a site. It also stops at the age at which events are removed, since that happens now and then only.
 * Each name is read by itself, up to the limit: its index has them in order.
 */
export async function readLog({ database }: LogDeps, slice: LogSlice): Promise<LogRow[]> {
  const { siteId, events, limit, before, direction, since, after } = slice;
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
export const isAfter = (place: Place, other: Place) =>
  place.moment === other.moment ? place.id > other.id : place.moment > other.moment;
