import { sql } from 'kysely';
import { z } from 'zod';
import { defaultPeriod, type Period, periods } from '../../../shared/contract/analytics.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { countViews, type DayCount, type Dimension } from '../../../shared/db/page-view-counts.ts';
import { dayAfter, dayOf } from '../../../shared/db/page-views.ts';
import type { Deps } from '../../kernel/deps.ts';
import { highest, mergeCounts } from './counts.ts';

/** The window that a query names; the default for any other text. */
export const periodOf = (text = ''): Period => keysOf(periods).find((name) => name === text) ?? defaultPeriod;

/** Views of a site within a window that ends today: finished days from the roll-up, the others from their raw rows. */
export async function readAnalytics(deps: Deps, siteId: string, period: Period) {
  const to = dayOf(deps.clock.now());
  const from = dayAfter(to, 1 - periods[period]);
  const days = Array.from({ length: periods[period] }, (_, index) => dayAfter(from, index));
  const { byDay, byLabel } = mergeCounts(await countDays(deps, siteId, days));
  const views_over_time = days.map((date) => ({ date, ...(byDay.get(date) ?? { views: 0, visitors: 0 }) }));
  const top = (dimension: Dimension, most: number) => highest(byLabel[dimension], most);
  return {
    period,
    from,
    to,
    total_views: sum(views_over_time.map(({ views }) => views)),
    unique_visitors: sum(views_over_time.map(({ visitors }) => visitors)),
    views_over_time,
    popular_pages: top('path', 10).map(([path, views]) => ({ path, views })),
    top_referrers: top('referrer', 10).map(([referrer, views]) => ({ referrer, views })),
    utm: top('utm', 20).map(([label, views]) => {
      const [source, medium, campaign] = UtmLabel.parse(JSON.parse(label));
      return { source, medium, campaign, views };
    }),
  };
}

/** How the roll-up writes a label of three values. */
const UtmLabel = z.tuple([z.string(), z.string(), z.string()]);

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/**
 * Counts of the days, each with its day where it is a total. Which days are rolled up is asked first, so that only the
 * partitions of the others are looked at; one that is rolled up in between still has its raw rows.
 */
async function countDays(deps: Deps, siteId: string, days: readonly string[]): Promise<DayCount[]> {
  const db = deps.database.em.getKysely();
  const rolledUp = await sql<{ day: string }>`
    select day::text from page_view_rollups where day = any(${days}::date[])`.execute(db);
  const finished = new Set(rolledUp.rows.map(({ day }) => day));
  const others = days.filter((day) => !finished.has(day));
  const counts = await Promise.all([
    deps.finishedViews.count(siteId, [...finished].sort()),
    sql<DayCount>`${rawCounts(siteId, others)}`.execute(db).then(({ rows }) => rows),
  ]);
  return counts.flat();
}

/** All days are named once more inside, for PostgreSQL to see before it starts which partitions it can leave out. */
const rawCounts = (siteId: string, days: readonly string[]) => sql`
  select asked.day::text, counted.* from unnest(${days}::date[]) as asked(day)
  cross join lateral (${countViews(sql`site_id = ${siteId} and day = asked.day and day = any(${days}::date[])`)}) counted`;
