import { sql } from 'kysely';
import { z } from 'zod';
import { type EventName, LoggedEvent } from '../../../shared/contract/events.ts';
import { retentionDays } from '../../../shared/contract/limits.ts';
import type { Deps } from '../../kernel/deps.ts';

/** Which way a reader goes through the log, and after which event it goes on. */
export interface LogPosition {
  direction: 'newest_first' | 'oldest_first';
  /** Only events at or after this moment. */
  since?: Date;
  after?: Place;
}

/** An event's place in the log. The moment is PostgreSQL's own text: it has microseconds, which a Date would lose. */
export interface Place {
  moment: string;
  id: string;
}

interface LogSlice extends LogPosition {
  siteId: string;
  event: EventName;
  limit: number;
}

export interface LogRow extends Place {
  body: string;
}

/**
 * Logged events of one type. An event's moment is taken while its transaction writes, so one that commits late could
 * appear behind a reader that is already past it. Reading therefore stops at the horizon: the earliest begin of any
 * transaction that is still writing. Whatever appears later is later than all that was shown.
 * It also stops at the age at which events are removed, since that happens now and then only.
 */
export async function readLog(
  { database }: Deps,
  { siteId, event, limit, ...position }: LogSlice,
): Promise<LogRow[]> {
  const db = database.em.getKysely();
  const horizon = await sql<{ moment: string }>`
    select least(now(), min(xact_start))::text as moment
    from pg_stat_activity where datname = current_database() and backend_xid is not null`.execute(db);
  const { direction, since, after } = position;
  const [order, beyond] = direction === 'newest_first' ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`];
  const { rows } = await sql<LogRow>`
    select id, body, occurred_at::text as moment from events
    where site_id = ${siteId} and name = ${event} and occurred_at < ${horizon.rows[0]?.moment}::timestamptz
      and occurred_at >= now() - ${retentionDays.events} * interval '1 day'
      ${since ? sql`and occurred_at >= ${since}` : sql``}
      ${after ? sql`and (occurred_at, id) ${beyond} (${after.moment}::timestamptz, ${after.id})` : sql``}
    order by occurred_at ${order}, id ${order} limit ${limit}`.execute(db);
  return rows;
}

const StoredBody = z.record(z.string(), z.unknown());

/** What polling shows of a stored event. */
export function logged({ id, body }: LogRow): LoggedEvent {
  return LoggedEvent.parse({ id, ...StoredBody.parse(JSON.parse(body)) });
}
