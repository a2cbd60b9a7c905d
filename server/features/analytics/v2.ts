import { z } from 'zod';
import { Analytics, analyticsQuery } from '../../../shared/contract/analytics.ts';
import { get } from '../../access/route.ts';
import { router } from '../../kernel/trpc.ts';
import { analyticsWithin } from './within-plan.ts';

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
    .query(({ ctx, input }) =>
      analyticsWithin(ctx.key.plan, { deps: ctx.deps, siteId: ctx.siteId }, input.period),
    ),
});
