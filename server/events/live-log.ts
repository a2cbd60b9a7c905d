import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { EventName } from '../../shared/contract/events.ts';
import type { Infrastructure } from '../api/deps.ts';
import { type EventPosition, type LogRow, readHorizon } from './event-log.ts';

/** Intervals of following: `following` in `shared/contract/limits.ts`, or shorter ones in tests. */
export interface FollowTimes {
  tickMs: number;
  checkMs: number;
  leaseMs: number;
  heartbeatMs: number;
  waitingEvents: number;
}

/** Reader of new events for all followers of this process. */
export interface LiveLog {
  /** Starts to collect a site's events with these names. Rejects if the database is unavailable. */
  join(siteId: string, names: readonly EventName[]): Promise<LiveEvents>;
}

/** New events of one site in log order, until disposed of. */
export interface LiveEvents extends Disposable {
  /** Start of collection: events before this time must be read from the log. */
  readonly from: string;
  /**
   * Waits for events and returns those that arrived since the last call; possibly none if `signal` aborts. Returns null
   * if more arrived than may wait, or if reading failed: the collected ones were dropped and must be read from the log.
   */
  next(signal: AbortSignal): Promise<readonly LogRow[] | null>;
}

/** Maximum number of events per statement. */
const maxConcurrent = 1_000;

/**
 * Live log: reads new events once for all followers of this process.
 *
 * The reader is idle without followers. The first follower starts a loop that reads the log every `tickMs` and adds
 * each event to the queues of its site. The loop ends when the last follower leaves. A queue starts at the loop's
 * position on the next tick. A queue that grows beyond `waitingEvents` is dropped, and its follower continues from the
 * log. If a read fails, or the database's clock was set back, all queues are dropped and the loop starts from the
 * current horizon.
 *
 * PostgreSQL's notifications would arrive earlier, but every write of the installation would queue to send them. An event
 * can also become readable without a notification: when an older transaction ends.
 */
export function createLiveLog({
  database,
  logger,
  following,
}: Pick<Infrastructure, 'database' | 'logger' | 'following'>): LiveLog {
  const queues = new Set<Queue>();
  let isRunning = false;
  let tickNow = () => {};

  const nextTick = async () => {
    const early = new AbortController();
    tickNow = () => early.abort();
    await delay(following.tickMs, undefined, { signal: early.signal }).catch(() => {});
  };

  async function run() {
    isRunning = true;
    let position: string | null = null;
    while (queues.size > 0) {
      const served = [...queues];
      try {
        position ??= (await readHorizon({ database })).moment;
        for (const queue of served) queue.begin(position);
        position = await handOut({ database }, served, position);
      } catch (err) {
        logger.warn({ err }, 'reading new events for live followers failed; retrying');
        position = null;
        for (const queue of served) queue.fail(err);
      }
      await nextTick();
    }
    isRunning = false;
  }

  return {
    async join(siteId, names) {
      const queue = createQueue(siteId, new Set(names), following.waitingEvents, () => queues.delete(queue));
      queues.add(queue);
      if (isRunning) tickNow();
      else void run();
      return await queue.events;
    },
  };
}

/**
 * Reads events since `position`, adds them to the queues, and returns the new position, up to which all events were
 * read.
 */
async function handOut(deps: Pick<Infrastructure, 'database'>, queues: readonly Queue[], position: string) {
  const { moment: horizon, now } = await readHorizon(deps);
  // New events may be older than events of other sites that were already sent. Followers restart, each from its own
  // position.
  if (now < position) throw new Error('the clock of the database was set back');
  // An old transaction that starts to write now moves the horizon back. Its events are not older than `position`.
  if (horizon <= position) return position;
  const bySite = Map.groupBy(queues, ({ siteId }) => siteId);
  let after: EventPosition = { moment: position, id: '' };
  for (;;) {
    const rows = await readNew(deps, { sites: [...bySite.keys()], after, before: horizon });
    for (const row of rows) for (const queue of bySite.get(row.site_id) ?? []) queue.add(row);
    const last = rows.at(-1);
    if (!last || rows.length < maxConcurrent) return horizon;
    after = last;
  }
}

/**
 * Reads new events by the index of timestamps, for any set of sites. A tick costs only what happened since the last
 * one. Appending an empty text to `site_id` keeps PostgreSQL from using indexes that begin with the site.
 */
async function readNew(
  { database }: Pick<Infrastructure, 'database'>,
  { sites, after, before }: { sites: readonly string[]; after: EventPosition; before: string },
): Promise<LogRow[]> {
  const { rows } = await sql<LogRow>`
    select site_id, id, name, body, occurred_at::text as moment from events
    where occurred_at >= ${after.moment}::timestamptz and occurred_at < ${before}::timestamptz
      and (occurred_at, id) > (${after.moment}::timestamptz, ${after.id}) and site_id || '' = any(${[...sites]}::text[])
    order by occurred_at, id limit ${maxConcurrent}`.execute(database.em.getKysely());
  return rows;
}

type Queue = ReturnType<typeof createQueue>;

/** Creates a follower's queue of at most `max` events. */
function createQueue(siteId: string, names: ReadonlySet<string>, max: number, leave: () => void) {
  const begun = Promise.withResolvers<LiveEvents>();
  let waiting: LogRow[] | null = [];
  let wake = () => {};
  const giveUp = () => {
    waiting = null;
    leave();
    wake();
  };
  const next: LiveEvents['next'] = async (signal) => {
    if (waiting?.length === 0 && !signal.aborted) {
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      const goOn = () => resolve();
      wake = goOn;
      signal.addEventListener('abort', goOn);
      await woken;
      signal.removeEventListener('abort', goOn);
    }
    const come = waiting;
    if (waiting) waiting = [];
    return come;
  };
  return {
    siteId,
    events: begun.promise,
    begin: (from: string) => begun.resolve({ from, next, [Symbol.dispose]: leave }),
    add(row: LogRow) {
      if (!waiting || !names.has(row.name)) return;
      if (waiting.length === max) return giveUp();
      waiting.push(row);
      wake();
    },
    fail(cause: unknown) {
      begun.reject(cause);
      giveUp();
    },
  };
}
