import type { DayCount, Dimension } from '../../../shared/db/page-view-counts.ts';

/** Adds up counts of several days: totals by day, all others by label. */
export function mergeCounts(counts: readonly DayCount[]) {
  const byDay = new Map<string, { views: number; visitors: number }>();
  const byLabel: Record<Dimension, Map<string, number>> = {
    total: new Map(),
    path: new Map(),
    referrer: new Map(),
    utm: new Map(),
  };
  for (const { dimension, day, label, views, visitors } of counts) {
    if (dimension === 'total' && day !== null) byDay.set(day, { views, visitors });
    else byLabel[dimension].set(label, (byLabel[dimension].get(label) ?? 0) + views);
  }
  return { byDay, byLabel };
}

/** The labels with the most views, and by name where views are equal. */
export function highest(
  byLabel: ReadonlyMap<string, number>,
  most: number,
): [label: string, views: number][] {
  return [...byLabel].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, most);
}
