import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { boundedText, comparedText } from '../fields.ts';
import { keysOf } from '../names-of.ts';

/** Limits of page views. Visitors choose paths, referrers and UTM values, and their counts are kept for years. */
export const viewLimits = {
  /** Maximum length of a path, in UTF-16 units. */
  maxPathLength: 500,
  /** Maximum number of distinct labels per site and day. Views with further labels count as `(other)`. */
  labelsPerDay: { path: 5_000, referrer: 1_000, utm: 1_000 },
} as const;

/** Periods of analytics, in days. */
export const periods = { '7d': 7, '30d': 30, '90d': 90 } as const;
export type Period = keyof typeof periods;
/** Period for requests without a period, or with an unknown one. */
export const defaultPeriod: Period = '30d';

const dayNumberOf = (date: Date) => Math.floor(date.getTime() / 86_400_000);

/**
 * Returns the shortest period up to today (UTC) that contains the whole day of `date`. For older dates, returns the
 * longest period, which does not contain it.
 */
export const periodSince = (date: Date, now: Date): Period =>
  keysOf(periods).find((period) => dayNumberOf(now) - dayNumberOf(date) < periods[period]) ?? '90d';

const count = (description: string) => documented(z.int().min(0), description, 128);
const day = (description: string) => documented(z.iso.date(), description, '2026-01-31');
const label = (description: string, example: string) => documented(z.string(), description, example);
const views = count('Number of page views');

/** Answer of analytics. `top_referrers` and `utm` exist only on the plan `pro`. */
export const Analytics = titled('Analytics', {
  period: z.enum(['7d', '30d', '90d']).describe('Applied period'),
  from: day('First day'),
  to: day('Last day: today'),
  total_views: views,
  unique_visitors: count('Number of visitors, each counted once per day'),
  views_over_time: z
    .array(z.strictObject({ date: day('Day'), views, visitors: count('Number of visitors on that day') }))
    .describe('Views and visitors of each day of the period'),
  popular_pages: z
    .array(z.strictObject({ path: label('Path', '/posts/hello-world'), views }))
    .describe('Ten most viewed pages'),
  top_referrers: z
    .array(z.strictObject({ referrer: label('Host name of the referring site', 'news.example.com'), views }))
    .optional()
    .describe('Ten referring hosts with the most views; only on the plan `pro`'),
  utm: z
    .array(
      z.strictObject({
        source: label('UTM source', 'newsletter'),
        medium: label('UTM medium', 'email'),
        campaign: label('UTM campaign', 'launch'),
        views,
      }),
    )
    .optional()
    .describe('Twenty campaigns with the most views; only on the plan `pro`'),
});

export const analyticsQuery = {
  period: documented(
    z.string(),
    `Period: ${Object.keys(periods).join(', ')}; any other value means ${defaultPeriod}`,
    '30d',
  ).optional(),
};

const only = (what: string, example: string) =>
  documented(comparedText(viewLimits.maxPathLength), `Only views with this ${what}`, example).optional();

/**
 * Filter for views with these exact values. Only raw views can answer it, so it covers only days for which they are
 * still stored.
 */
export const ViewFilter = z.strictObject({
  path: only('path', '/posts/hello-world'),
  referrer: only('referring host', 'news.example.com'),
  utm_source: only('UTM source', 'newsletter'),
  utm_medium: only('UTM medium', 'email'),
  utm_campaign: only('UTM campaign', 'launch'),
});

export type ViewFilter = z.infer<typeof ViewFilter>;

/** Query of an owner: a period, or any days for which raw views are still stored. */
export const OwnAnalyticsQuery = ViewFilter.extend({
  ...analyticsQuery,
  from: day('First day').optional(),
  to: day('Last day').optional(),
}).prefault({});

/** Answer for an owner: the period or the requested days, and as many days before them. */
export const OwnAnalytics = Analytics.extend({
  period: Analytics.shape.period.nullable().describe('Applied period; null if `from` and `to` were given'),
  before: Analytics.pick({
    from: true,
    to: true,
    total_views: true,
    unique_visitors: true,
    views_over_time: true,
  })
    .strip()
    .nullable()
    .describe('Same number of days before `from`; null if views are no longer stored for all of them'),
});

const utm = (what: string) =>
  documented(comparedText(200).nullable().optional(), `UTM ${what}`, 'newsletter');

/** Page view, as the site's pages report it. */
export const TrackView = z.strictObject({
  path: documented(
    comparedText(viewLimits.maxPathLength).regex(/^\//, { error: 'must be a path that begins with /' }),
    'Path of the page',
    '/posts/hello-world',
  ),
  referrer: documented(
    boundedText(2_000).nullable().optional(),
    'URL of the referring page',
    'https://news.example.com/item',
  ),
  utm_source: utm('source'),
  utm_medium: utm('medium'),
  utm_campaign: utm('campaign'),
});

export type TrackView = z.infer<typeof TrackView>;
