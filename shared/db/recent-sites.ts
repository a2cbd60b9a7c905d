/** Which sites a process works for. */
export interface RecentSites {
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
