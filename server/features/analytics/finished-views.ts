import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { DayCount } from '../../../shared/db/page-view-counts.ts';
import type { FinishedViews, StoreDeps } from '../../kernel/deps.ts';

/** Most bytes that the counts kept by one process take, roughly. */
const mostBytes = 16 * 1024 * 1024;

/** What a count takes besides its label. */
const overheadBytes = 150;

/** Keeps sums of finished days in memory, since those days never change. */
export function createFinishedViews({ database }: Pick<StoreDeps, 'database'>): FinishedViews {
  const sums = new LRUCache<string, readonly DayCount[]>({
    maxSize: mostBytes,
    sizeCalculation: (counts, key) =>
      counts.reduce((bytes, { label }) => bytes + 2 * label.length + overheadBytes, 2 * key.length + 1),
  });
  return {
    async count(siteId, days) {
      const key = [siteId, ...days].join(' ');
      const kept = sums.get(key);
      if (kept) return kept;
      const { rows } = await finishedCounts(siteId, days).execute(database.em.getKysely());
      sums.set(key, rows);
      return rows;
    },
  };
}

const finishedCounts = (siteId: string, days: readonly string[]) => sql<DayCount>`
  select day::text, dimension, label, views, visitors from page_view_days
  where site_id = ${siteId} and day = any(${days}::date[]) and dimension = 'total'
  union all
  select null, dimension, label, sum(views)::integer, 0 from page_view_days
  where site_id = ${siteId} and day = any(${days}::date[]) and dimension <> 'total'
  group by dimension, label`;
