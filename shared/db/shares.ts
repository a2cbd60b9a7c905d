import { DatabaseBusyError } from './troubles.ts';

/** How much of something may be under way at once. */
interface Most {
  /** Of all sites together. */
  inAll: number;
  /** Of one site. */
  perSite: number;
  /** Of one site while others ask for something too; see `createShare`. As many as otherwise when left out. */
  besideOthers?: { perSite: number; recent: RecentSites };
  /** Waiting, of all sites together, and at most half of them of one site; who comes on top is refused at once. */
  waiting: number;
  /** How long one waits before it is refused. */
  waitMs: number;
}

/** Runs `work` of a site when its turn comes. Throws `DatabaseBusyError` when that takes too long. */
export type Share = <T>(siteId: string, work: () => Promise<T>) => Promise<T>;

/** However long its work took, a site waits no longer than this for its next. */
const mostRestMs = 100;

/**
 * A share of the connection pool: whatever one site does at once, connections are left for the others. Who waits holds
 * none, and goes first come, first served among those whose site may begin.
 *
 * Connections are not all that sites share: where one has work waiting while others ask too, it gets fewer of them, and
 * its place stays empty after each work for as long as that took. Other sites may begin meanwhile.
 */
export function createShare({ besideOthers, ...most }: Most) {
  const taken = new Map<string, number>();
  const queue: { siteId: string; begin(): void }[] = [];
  let running = 0;
  const isHeldBack = (siteId: string) => besideOthers && !besideOthers.recent.isAlone(siteId);
  const mostOf = (siteId: string) => (isHeldBack(siteId) && besideOthers?.perSite) || most.perSite;
  const mayBegin = (siteId: string) => running < most.inAll && (taken.get(siteId) ?? 0) < mostOf(siteId);
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
    setTimeout(giveBack, Math.min(tookMs, mostRestMs), siteId);
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
        reject(new DatabaseBusyError(`timed out after waiting ${most.waitMs} ms for a database connection`));
      };
      const timer = setTimeout(giveUp, most.waitMs);
      queue.push(waiter);
    });

  /** Checks whether other work could begin if the work of this site ended. */
  const isAwaited = (siteId: string) =>
    queue.some(
      (waiter) =>
        waiter.siteId === siteId ||
        (running >= most.inAll && (taken.get(waiter.siteId) ?? 0) < mostOf(waiter.siteId)),
    );

  const share: Share = async (siteId, work) => {
    // A site that is alone since it last asked may have more now.
    beginNext();
    const waiting = waitingOf(siteId);
    if (waiting === 0 && mayBegin(siteId)) begin(siteId);
    else if (queue.length >= most.waiting || waiting >= most.waiting / 2)
      throw new DatabaseBusyError('too many queries are already waiting for a database connection');
    else await turnOf(siteId);
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      end(siteId, performance.now() - startedAt);
    }
  };
  return Object.assign(share, { isAwaited });
}

/** Which sites a process works for. */
interface RecentSites {
  /** A request of the site came, and was found to be of it. */
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
