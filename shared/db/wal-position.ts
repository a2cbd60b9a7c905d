import { sql } from 'kysely';

/** How far the log of a primary had come, on which of its timelines. */
export interface WalPosition {
  timeline: number;
  bytes: number;
}

/**
 * Collections of a site as a request found them on the primary. A standby that has passed the position has all of their writes that
 * were seen, and with the same sum of versions none besides: one that it has may not be seen yet on the primary.
 */
export interface Seen extends WalPosition {
  siteId: string;
  collections: readonly string[];
  version: number;
}

/**
 * SQL of a statement to a primary: a place in its log that has all that the statement sees, for `seenAt`. A commit shows
 * once the log has it on the disk, so all that a snapshot shows is before the end of what is there while the statement runs.
 * Null where that doesn't hold: without `synchronous_commit` commits show earlier; and on a standby.
 */
export const positionSeen = sql<string | null>`case
  when not pg_is_in_recovery() and current_setting('synchronous_commit') <> 'off'
  then left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) || ' ' || (pg_current_wal_flush_lsn() - '0/0'::pg_lsn) end`;

/** Undefined where the position isn't known. */
export function seenAt(
  position: string | null | undefined,
  content: Omit<Seen, keyof WalPosition>,
): Seen | undefined {
  const [timeline = '', bytes = ''] = position?.split(' ') ?? [];
  return bytes === ''
    ? undefined
    : { timeline: Number.parseInt(timeline, 16), bytes: Number(bytes), ...content };
}

/** SQL of a statement to a standby. */
export const standbyState = `pg_is_in_recovery() as is_standby, pg_last_wal_replay_lsn() - '0/0'::pg_lsn as bytes,
  (select received_tli from pg_stat_wal_receiver) as timeline`;

/**
 * What a standby says of itself. It knows the timeline of what it receives, and replays nothing of a later one; one that receives
 * nothing doesn't say.
 */
export interface StandbyState {
  is_standby: boolean;
  bytes: number | null;
  timeline: number | null;
}

/** Whether a server was a standby that follows the timeline of a position. */
export const follows = ({ is_standby, timeline }: StandbyState, position: WalPosition) =>
  is_standby && timeline === position.timeline;

/** Whether a standby had all that was before a position, by what it said in an earlier statement than the one that asks. */
export const covers = (state: StandbyState, position: WalPosition) =>
  follows(state, position) && (state.bytes ?? 0) >= position.bytes;
