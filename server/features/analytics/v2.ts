import { z } from 'zod';
import { Analytics, analyticsQuery } from '../../../shared/contract/analytics.ts';
import { plans } from '../../../shared/contract/plans.ts';
import { get } from '../../access/route.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { router } from '../../kernel/trpc.ts';
import { periodOf, readAnalytics } from './read-views.ts';

/** Analytics over `/api/v2`; what is in it depends on the plan. */
export const analyticsV2 = router({
  get: get({
    path: '/v2/analytics',
    scope: 'read:analytics',
    tag: 'analytics',
    mcp: { name: 'get_analytics', resource: 'analytics' },
    summary: 'Get page views and visitors',
  })
    .input(z.object(analyticsQuery).prefault({}))
    .output(Analytics)
    .query(async ({ ctx, input }) => {
      const { analytics } = plans[ctx.key.plan];
      if (analytics === 'none')
        throw new ApiError('insufficient_scope', "the site's plan does not include analytics");
      const { top_referrers, utm, ...basic } = await readAnalytics(
        ctx.deps,
        ctx.siteId,
        periodOf(input.period),
      );
      return analytics === 'full' ? { ...basic, top_referrers, utm } : basic;
    }),
});
