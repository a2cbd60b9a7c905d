import { z } from 'zod';
import {
  Analytics,
  analyticsQuery,
  OwnAnalytics,
  OwnAnalyticsQuery,
  TrackView,
} from '../../../shared/contract/features/analytics.ts';
import { type PlanName, plans } from '../../../shared/contract/plans.ts';
import { siteProcedure, staffProcedure } from '../../api/access/procedures.ts';
import { get } from '../../api/access/route.ts';
import { ApiError } from '../../api/api-error.ts';
import { router } from '../../api/trpc.ts';
import { periodOf, readAnalytics, readOwn } from './read-views.ts';
import type { Tracker } from './tracker.ts';
import type { ViewCounts } from './view-counts.ts';

declare module '../../api/deps.ts' {
  interface Deps {
    tracker: Tracker;
    viewCounts: ViewCounts;
  }
}

const getByKey = get({
  path: '/v2/analytics',
  scope: 'read:analytics',
  tag: 'analytics',
  mcp: { name: 'get_analytics', resource: 'analytics' },
  summary: 'Get page views and visitors of a period',
})
  .input(z.object(analyticsQuery).prefault({}))
  .output(Analytics)
  .query(async ({ ctx: { deps, siteId, plan }, input }) =>
    within(plan, () => readAnalytics(deps, siteId, periodOf(input.period))),
  );

/** Filters that only a plan with full analytics includes. */
const sources = ['referrer', 'utm_source', 'utm_medium', 'utm_campaign'] as const;

const getOwn = staffProcedure('analytics')
  .input(OwnAnalyticsQuery)
  .output(OwnAnalytics)
  .query(async ({ ctx: { deps, siteId }, input }) => {
    const sites = deps.database.em.getKysely().selectFrom('sites');
    const { plan } = await sites.select('plan').where('id', '=', siteId).executeTakeFirstOrThrow();
    if (plans[plan].analytics === 'basic' && sources.some((name) => input[name] !== undefined)) {
      throw new ApiError('insufficient_scope', "the site's plan does not include referrers and campaigns");
    }
    return within(plan, () => readOwn(deps, siteId, input));
  });

const track = siteProcedure
  .input(TrackView)
  .output(z.strictObject({}))
  .mutation(({ ctx, input }) => ctx.deps.tracker.track(ctx, input).then(() => ({})));

/** Returns the part of a site's analytics that its plan includes. Throws `insufficient_scope` if it includes none. */
async function within<A extends { top_referrers: object; utm: object }>(
  plan: PlanName,
  read: () => Promise<A>,
) {
  const { analytics } = plans[plan];
  if (analytics === 'none') {
    throw new ApiError('insufficient_scope', "the site's plan does not include analytics");
  }
  const { top_referrers, utm, ...basic } = await read();
  return analytics === 'full' ? { ...basic, top_referrers, utm } : basic;
}

/** Page views, without cookies (docs/reference/analytics.md). The plan determines how much the API and the owner can read. */
export const analytics = {
  v2: { analytics: router({ get: getByKey }) },
  studio: { analytics: router({ get: getOwn }) },
  site: { analytics: router({ track }) },
};
