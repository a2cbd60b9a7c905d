import { DatabaseBusyError } from './waits.ts';

/** How much of something may be under way at once. */
interface Most {
  /** Of all sites together. */
  inAll: number;
  /** Of one site. */
  perSite: number;
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

/**
 * A share of the connection pool: whatever one site does at once, connections are left for the others. Who waits holds
 * none, and goes first come, first served among those whose site may begin.
 */
export function createShare(most: Most): Share {
  const running = new Map<string, number>();
  const queue: Waiter[] = [];
  let inAll = 0;
  const mayBegin = (siteId: string) => inAll < most.inAll && (running.get(siteId) ?? 0) < most.perSite;

  const begin = (siteId: string) => {
    inAll += 1;
    running.set(siteId, (running.get(siteId) ?? 0) + 1);
  };

  const end = (siteId: string) => {
    inAll -= 1;
    const left = (running.get(siteId) ?? 1) - 1;
    if (left > 0) running.set(siteId, left);
    else running.delete(siteId);
    const next = queue.findIndex((waiter) => mayBegin(waiter.siteId));
    if (next >= 0) queue.splice(next, 1)[0]?.begin();
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
    try {
      return await work();
    } finally {
      end(siteId);
    }
  };
}
