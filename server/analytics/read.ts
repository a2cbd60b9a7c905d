import { sql } from 'kysely';
import { defaultPeriod, type Period, periods } from '../../shared/contract/analytics.ts';
import { countViews } from '../../shared/db/page-view-counts.ts';
import { dayAfter, dayOf } from '../../shared/db/page-views.ts';
import type { Deps } from '../deps.ts';

interface Count {
  dimension: 'total' | 'path' | 'referrer' | 'utm';
  label: string;
  day: string | null;
  views: number;
  visitors: number;
}

/** Most entries of each list (DECISIONS 7). */
const most = { path: 10, referrer: 10, utm: 20 };

/** The window that a query names; the default for any other text. */
export const periodOf = (text = ''): Period =>
  Object.hasOwn(periods, text) ? (text as Period) : defaultPeriod;

/** Views of a site within a window that ends today: finished days from the roll-up, the others from their raw rows. */
export async function readAnalytics({ database, clock }: Deps, siteId: string, period: Period) {
  const to = dayOf(clock.now());
  const from = dayAfter(to, 1 - periods[period]);
  const { rows } = await sql<Count>`${countsBetween(siteId, from, to)}`.execute(database.em.getKysely());
  const byDay = new Map(rows.filter(({ dimension }) => dimension === 'total').map((row) => [row.day, row]));
  const days = Array.from({ length: periods[period] }, (_, index) => dayAfter(from, index));
  const views_over_time = days.map((date) => {
    const { views = 0, visitors = 0 } = byDay.get(date) ?? {};
    return { date, views, visitors };
  });
  const listed = (dimension: Count['dimension']) => rows.filter((row) => row.dimension === dimension);
  return {
    period,
    from,
    to,
    total_views: sum(views_over_time.map(({ views }) => views)),
    unique_visitors: sum(views_over_time.map(({ visitors }) => visitors)),
    views_over_time,
    popular_pages: listed('path').map(({ label, views }) => ({ path: label, views })),
    top_referrers: listed('referrer').map(({ label, views }) => ({ referrer: label, views })),
    utm: listed('utm').map(({ label, views }) => {
      const [source, medium, campaign] = JSON.parse(label);
      return { source, medium, campaign, views };
    }),
  };
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/** One row per day for the totals, and the highest of each other dimension over all days. */
const countsBetween = (siteId: string, from: string, to: string) => sql`
  with counted as (
    select day, dimension, label, views, visitors from page_view_days
    where site_id = ${siteId} and day between ${from} and ${to}
    union all
    select day, dimension, label, views, visitors from (${countViews(sql`
      site_id = ${siteId} and day between ${from} and ${to} and day not in (select day from page_view_rollups)`)}) raw
  ),
  ranked as (
    select dimension, label, sum(views) as views,
      row_number() over (partition by dimension order by sum(views) desc, label) as place
    from counted where dimension <> 'total' group by dimension, label
  )
  select dimension, label, day::text, views, visitors from counted where dimension = 'total'
  union all
  (select dimension, label, null, views, 0 from ranked
    where place <= case dimension when 'path' then ${most.path}::integer when 'referrer' then ${most.referrer} else ${most.utm} end
    order by dimension, place)`;
