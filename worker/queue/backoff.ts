import { LRUCache } from 'lru-cache';

/** Which of many have to wait after a failure, so that they hold nobody else up: twice as long after each one in a row. */
export function createBackoff(waitMs: { first: number; longest: number }) {
  const failed = new LRUCache<string, { ms: number; until: number }>({ max: 10_000 });
  return {
    mustWait: (key: string): boolean => performance.now() < (failed.get(key)?.until ?? 0),
    noteFailure(key: string) {
      const ms = Math.min(waitMs.longest, Math.max(waitMs.first, 2 * (failed.get(key)?.ms ?? 0)));
      failed.set(key, { ms, until: performance.now() + ms });
    },
    noteSuccess: (key: string) => void failed.delete(key),
  };
}
