import { DatabaseBusyError } from './waits.ts';

/** How much of something may be under way at once. */
interface Most {
  /** Of all sites together. */
  inAll: number;
  /** Of one site. */
  perSite: number;
  /** Of one site while others ask for something too; see `createShare`. As many as otherwise when left out. */
  besideOthers?: { perSite: number; recent: RecentSites };
  /** Waiting, of all sites together; who comes on top is refused at once. */
  waiting: number;
  /** How long one waits before it is refused. */
  waitMs: number;
}

/** Runs `work` of a site when its turn comes. Throws `DatabaseBusyError` when that takes too long. */
export type Share = <T>(siteId: string, work: () => Promise<T>) => Promise<T>;

interface Waiter {
  siteId: string;
  begin(): void;
}

/** However long its work took, a site waits no longer than this for its next. */
const mostRestMs = 100;

/**
 * A share of the connection pool: whatever one site does at once, connections are left for the others. Who waits holds
 * none, and goes first come, first served among those whose site may begin.
 *
 * Connections are not all that sites share: where one has work waiting while others ask too, it gets fewer of them, and
 * each rests for as long as its work took, so that at least half of that time is the others'.
 */
export function createShare({ besideOthers, ...most }: Most): Share {
  const running = new Map<string, number>();
  const queue: Waiter[] = [];
  let inAll = 0;
  const mostOf = (siteId: string) =>
    !besideOthers || besideOthers.recent.isAlone(siteId) ? most.perSite : besideOthers.perSite;
  const mayBegin = (siteId: string) => inAll < most.inAll && (running.get(siteId) ?? 0) < mostOf(siteId);

  const begin = (siteId: string) => {
    inAll += 1;
    running.set(siteId, (running.get(siteId) ?? 0) + 1);
  };

  const end = (siteId: string) => {
    inAll -= 1;
    const left = (running.get(siteId) ?? 1) - 1;
    if (left > 0) running.set(siteId, left);
    else running.delete(siteId);
    for (let next = nextInLine(); next; next = nextInLine()) next.begin();
  };

  const nextInLine = () => {
    const next = queue.findIndex((waiter) => mayBegin(waiter.siteId));
    return next < 0 ? undefined : queue.splice(next, 1)[0];
  };

  const restMsAfter = (siteId: string, tookMs: number) => {
    const isHeldBack = besideOthers && !besideOthers.recent.isAlone(siteId);
    return isHeldBack && queue.some((waiter) => waiter.siteId === siteId) ? Math.min(tookMs, mostRestMs) : 0;
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
        reject(new DatabaseBusyError(`no turn within ${most.waitMs} ms`));
      };
      const timer = setTimeout(giveUp, most.waitMs);
      queue.push(waiter);
    });

  return async (siteId, work) => {
    if (mayBegin(siteId)) begin(siteId);
    else if (queue.length >= most.waiting) throw new DatabaseBusyError('too many are waiting already');
    else await turnOf(siteId);
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      const restMs = restMsAfter(siteId, performance.now() - startedAt);
      if (restMs > 0) setTimeout(end, restMs, siteId);
      else end(siteId);
    }
  };
}

/** Which sites a process works for. */
interface RecentSites {
  /** A request of the site came. */
  saw(siteId: string): void;
  /** Whether no other site's request came within the last second. */
  isAlone(siteId: string): boolean;
}

const recentMs = 1_000;

/** Remembers two sites: the last one, and the last other one. No more is needed to tell whether a site is alone. */
export function createRecentSites(): RecentSites {
  let last = { siteId: '', atMs: Number.NEGATIVE_INFINITY };
  let before = last;
  return {
    saw(siteId) {
      if (last.siteId !== siteId) before = last;
      last = { siteId, atMs: performance.now() };
    },
    isAlone(siteId) {
      const other = last.siteId === siteId ? before : last;
      return performance.now() - other.atMs > recentMs;
    },
  };
}
