import { z } from 'zod';
import {
  defaultPeriod,
  type OwnAnalyticsQuery,
  type Period,
  periods,
  type ViewFilter,
} from '../../../shared/contract/features/analytics.ts';
import { retentionDays } from '../../../shared/contract/limits.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { dayAfter, dayOf } from '../../../shared/db/page-views.ts';
import type { Deps } from '../../api/deps.ts';

/** Returns the period that a query names, or the default period for any other text. */
export const periodOf = (text = ''): Period => keysOf(periods).find((name) => name === text) ?? defaultPeriod;

interface Days {
  from: string;
  to: string;
  only?: ViewFilter;
}

const lengthOf = ({ from, to }: Days) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;

/**
 * Returns a site's page views within a period that ends today (UTC): by day, and of the most viewed pages, referrers and
 * campaigns. A day without views has 0.
 */
export async function readAnalytics(deps: Deps, siteId: string, period: Period) {
  const to = dayOf(deps.clock.now());
  return { period, ...(await readDays(deps, siteId, { from: dayAfter(to, 1 - periods[period]), to })) };
}

/**
 * Returns a site's page views that match `only`, from one day to another (inclusive) or in a period. Days before the
 * retention are left out. `before` contains the equally long time before; null if a filter is set and raw views of that
 * time are deleted.
 */
export async function readOwn(
  deps: Deps,
  siteId: string,
  { period, from, to, ...only }: z.infer<typeof OwnAnalyticsQuery>,
) {
  const today = dayOf(deps.clock.now());
  const oldest = dayAfter(today, 1 - retentionDays.views);
  const within = (day: string) => [oldest, day, today].toSorted()[1] ?? day;
  const last = within(to ?? today);
  const window = from === undefined && to === undefined ? periodOf(period) : null;
  const first = within(from ?? dayAfter(last, 1 - periods[window ?? defaultPeriod]));
  const days = { from: [first, last].toSorted()[0] ?? last, to: last, only };
  const before = { only, from: dayAfter(days.from, -lengthOf(days)), to: dayAfter(days.from, -1) };
  // Filtered views of the previous period are counted only if its days still have raw views: the sums that remain
  // are unfiltered.
  const reaches = Object.keys(only).length === 0 || before.from >= oldest;
  const [now, then] = await Promise.all([
    readDays(deps, siteId, days),
    reaches ? readDays(deps, siteId, before) : null,
  ]);
  return { period: window, ...now, before: then };
}

/** Reads finished days from the roll-up. Other days, and filtered views, are counted from raw rows. */
async function readDays(deps: Deps, siteId: string, { from, to, only = {} }: Days) {
  const days = Array.from({ length: lengthOf({ from, to }) }, (_, index) => dayAfter(from, index));
  const counts = await deps.viewCounts.count(siteId, days, only);
  const of = (wanted: (typeof counts)[number]['dimension']) =>
    counts.filter(({ dimension }) => dimension === wanted);
  const byDay = new Map(of('total').map(({ day, views, visitors }) => [day, { views, visitors }]));
  const views_over_time = days.map((date) => ({ date, ...(byDay.get(date) ?? { views: 0, visitors: 0 }) }));
  return {
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

/** Label of a campaign in the counts: source, medium and name. */
const UtmLabel = z.tuple([z.string(), z.string(), z.string()]);

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
