import { z } from 'zod';
import { defaultPeriod, type Period, periods } from '../../../shared/contract/analytics.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { dayAfter, dayOf } from '../../../shared/db/page-views.ts';
import type { Deps } from '../../kernel/deps.ts';

/** The window that a query names; the default for any other text. */
export const periodOf = (text = ''): Period => keysOf(periods).find((name) => name === text) ?? defaultPeriod;

/** Views of a site within a window that ends today: finished days from the roll-up, the others from their raw rows. */
export async function readAnalytics(deps: Deps, siteId: string, period: Period) {
  const to = dayOf(deps.clock.now());
  const from = dayAfter(to, 1 - periods[period]);
  const days = Array.from({ length: periods[period] }, (_, index) => dayAfter(from, index));
  const counts = await deps.viewCounts.count(siteId, days);
  const of = (wanted: (typeof counts)[number]['dimension']) =>
    counts.filter(({ dimension }) => dimension === wanted);
  const byDay = new Map(of('total').map(({ day, views, visitors }) => [day, { views, visitors }]));
  const views_over_time = days.map((date) => ({ date, ...(byDay.get(date) ?? { views: 0, visitors: 0 }) }));
  return {
    period,
    from,
    to,
    total_views: sum(views_over_time.map(({ views }) => views)),
    unique_visitors: sum(views_over_time.map(({ visitors }) => visitors)),
    views_over_time,
    popular_pages: of('path').map(({ label, views }) => ({ path: label, views })),
    top_referrers: of('referrer').map(({ label, views }) => ({ referrer: label, views })),
    utm: of('utm').map(({ label, views }) => {
      const [source, medium, campaign] = UtmLabel.parse(JSON.parse(label));
      return { source, medium, campaign, views };
    }),
  };
}

/** How counts write a label of three values. */
const UtmLabel = z.tuple([z.string(), z.string(), z.string()]);

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
