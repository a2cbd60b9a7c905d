import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { EventName } from '../../shared/contract/events.ts';
import type { Infrastructure } from '../api/deps.ts';
import { type EventPosition, type LogRow, readHorizon } from './event-log.ts';

/** How following goes: `following` in `shared/contract/limits.ts`; tests have shorter times. */
export interface FollowTimes {
  tickMs: number;
  checkMs: number;
  leaseMs: number;
  heartbeatMs: number;
  waitingEvents: number;
}

/** Reads new events on behalf of all who follow them in this process. */
export interface LiveLog {
  /** Begins to collect a site's events of these names. Rejects when the database can't be asked. */
  join(siteId: string, names: readonly EventName[]): Promise<LiveEvents>;
}

/** New events of one site, in the order of the log, until it is disposed of. */
export interface LiveEvents extends Disposable {
  /** What is older than this moment stands in the log; what is not gets collected. */
  readonly from: string;
  /**
   * What has come since it was last asked, as soon as there is something; nothing once `signal` aborts. Null when more
   * came than may wait: what was collected is gone, and stands in the log.
   */
  next(signal: AbortSignal): Promise<readonly LogRow[] | null>;
}

/** Events that one statement reads. */
const mostAtOnce = 1_000;

/**
 * Reads the log in ticks, once for all followers of all sites, and not at all while there are none. A notification by
 * PostgreSQL would come sooner, but every write of the installation would line up to send it, and an event can become
 * readable without one: when an older transaction ends.
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

/** Reads what came since `position`, hands it to the queues, and returns the moment up to which that was all. */
async function handOut(deps: Pick<Infrastructure, 'database'>, queues: readonly Queue[], position: string) {
  const { moment: horizon, now } = await readHorizon(deps);
  // What comes now may be older than what was handed out of other sites: each follower goes on from their own place.
  if (now < position) throw new Error('the clock of the database was set back');
  // A transaction that began long ago and writes only now takes the horizon back; nothing of it is older than `position`.
  if (horizon <= position) return position;
  const bySite = Map.groupBy(queues, ({ siteId }) => siteId);
  let after: EventPosition = { moment: position, id: '' };
  for (;;) {
    const rows = await readNew(deps, { sites: [...bySite.keys()], after, before: horizon });
    for (const row of rows) for (const queue of bySite.get(row.site_id) ?? []) queue.add(row);
    const last = rows.at(-1);
    if (!last || rows.length < mostAtOnce) return horizon;
    after = last;
  }
}

/**
 * By the index of moments, whatever the sites are: a tick costs what has happened since the last one, and nothing for
 * those who follow in vain. The sum of `site_id` and nothing keeps PostgreSQL from the indexes that begin with a site.
 */
async function readNew(
  { database }: Pick<Infrastructure, 'database'>,
  { sites, after, before }: { sites: readonly string[]; after: EventPosition; before: string },
): Promise<LogRow[]> {
  const { rows } = await sql<LogRow>`
    select site_id, id, name, body, occurred_at::text as moment from events
    where occurred_at >= ${after.moment}::timestamptz and occurred_at < ${before}::timestamptz
      and (occurred_at, id) > (${after.moment}::timestamptz, ${after.id}) and site_id || '' = any(${[...sites]}::text[])
    order by occurred_at, id limit ${mostAtOnce}`.execute(database.em.getKysely());
  return rows;
}

type Queue = ReturnType<typeof createQueue>;

/** Events that wait for one follower: at most `most`. */
function createQueue(siteId: string, names: ReadonlySet<string>, most: number, leave: () => void) {
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
      if (waiting.length === most) return giveUp();
      waiting.push(row);
      wake();
    },
    fail(cause: unknown) {
      begun.reject(cause);
      giveUp();
    },
  };
}
