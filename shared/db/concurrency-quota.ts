import { DatabaseBusyError } from './database-errors.ts';

/** Limits of a concurrency quota. */
interface QuotaLimits {
  /** Maximum number of running calls, for all sites together. */
  inAll: number;
  /** Maximum number of running calls of one site. */
  perSite: number;
  /** Maximum for one site while other sites send requests too; see `createConcurrencyQuota`. `perSite` applies if omitted. */
  besideOthers?: { perSite: number; recent: RecentSites };
  /**
   * Maximum number of waiting calls, for all sites together. One site may have half of them. Further calls fail
   * immediately.
   */
  waiting: number;
  /** Time after which a waiting call fails, in milliseconds. */
  waitMs: number;
}

/**
 * Runs `work` when the quota has room for the site. Throws `DatabaseBusyError` if that takes too long or too many calls
 * wait.
 */
export type ConcurrencyQuota = <T>(siteId: string, work: () => Promise<T>) => Promise<T>;

/** Maximum pause of a site between two calls, in milliseconds, however long the first one took. */
const maxPauseMs = 100;

/**
 * Concurrency quota of the connection pool. However much one site does concurrently, connections remain for others.
 *
 * A call moves through these states:
 *
 *   waiting ──begin──▶ running ──▶ done
 *      └── `waitMs` passed ──▶ failed (`DatabaseBusyError`)
 *
 * A call begins immediately if the quota has room and its site has no waiting calls. Otherwise it waits without a
 * connection. Whenever room appears, the longest waiting call whose site is below its maximum begins.
 *
 * Sites share more than connections, so a busy site gets less while other sites send requests: at most
 * `besideOthers.perSite` calls at the same time. If it has more calls waiting, it also pauses after each call for
 * as long as that took, at most `maxPauseMs`. Other sites may begin during the pause.
 */
export function createConcurrencyQuota({ besideOthers, ...max }: QuotaLimits) {
  const taken = new Map<string, number>();
  const queue: { siteId: string; begin(): void }[] = [];
  let running = 0;
  const isHeldBack = (siteId: string) => besideOthers && !besideOthers.recent.isAlone(siteId);
  const maxRunningOf = (siteId: string) => (isHeldBack(siteId) && besideOthers?.perSite) || max.perSite;
  const mayBegin = (siteId: string) => running < max.inAll && (taken.get(siteId) ?? 0) < maxRunningOf(siteId);
  const waitingOf = (siteId: string) => queue.filter((waiter) => waiter.siteId === siteId).length;

  const begin = (siteId: string) => {
    running += 1;
    taken.set(siteId, (taken.get(siteId) ?? 0) + 1);
  };

  const beginNext = () => {
    for (;;) {
      const next = queue.findIndex((waiter) => mayBegin(waiter.siteId));
      if (next < 0) return;
      queue.splice(next, 1)[0]?.begin();
    }
  };

  const giveBack = (siteId: string) => {
    const left = (taken.get(siteId) ?? 1) - 1;
    if (left > 0) taken.set(siteId, left);
    else taken.delete(siteId);
    beginNext();
  };

  const end = (siteId: string, tookMs: number) => {
    running -= 1;
    if (!isHeldBack(siteId) || waitingOf(siteId) === 0) return giveBack(siteId);
    setTimeout(giveBack, Math.min(tookMs, maxPauseMs), siteId);
    beginNext();
  };

  const turnOf = (siteId: string) =>
    new Promise<void>((resolve, reject) => {
      const waiter = {
        siteId,
        begin() {
          clearTimeout(timer);
          begin(siteId);
          resolve();
        },
      };
      const giveUp = () => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(new DatabaseBusyError(`timed out after waiting ${max.waitMs} ms for a database connection`));
      };
      const timer = setTimeout(giveUp, max.waitMs);
      queue.push(waiter);
    });

  /** True if another call could begin if the work of this site ended. */
  const isAwaited = (siteId: string) =>
    queue.some(
      (waiter) =>
        waiter.siteId === siteId ||
        (running >= max.inAll && (taken.get(waiter.siteId) ?? 0) < maxRunningOf(waiter.siteId)),
    );

  const quota: ConcurrencyQuota = async (siteId, work) => {
    // If other sites stopped sending requests, this site's maximum may have grown.
    beginNext();
    const waiting = waitingOf(siteId);
    if (waiting === 0 && mayBegin(siteId)) begin(siteId);
    else if (queue.length >= max.waiting || waiting >= max.waiting / 2)
      throw new DatabaseBusyError('too many queries are already waiting for a database connection');
    else await turnOf(siteId);
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      end(siteId, performance.now() - startedAt);
    }
  };
  return Object.assign(quota, { isAwaited });
}

/** Memory of the sites that a process recently served. */
interface RecentSites {
  /** Records that the site sent a request. */
  note(siteId: string): void;
  /** True if no other site sent a request within the last second. */
  isAlone(siteId: string): boolean;
}

const recentMs = 1_000;

/** Creates a memory of the last site and the last other site, which is enough for `isAlone`. */
export function createRecentSites(): RecentSites {
  let last = { siteId: '', atMs: Number.NEGATIVE_INFINITY };
  let before = last;
  return {
    note(siteId) {
      if (last.siteId !== siteId) before = last;
      last = { siteId, atMs: performance.now() };
    },
    isAlone(siteId) {
      const other = last.siteId === siteId ? before : last;
      return performance.now() - other.atMs > recentMs;
    },
  };
}
