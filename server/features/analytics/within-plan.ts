import type { z } from 'zod';
import type { Analytics } from '../../../shared/contract/analytics.ts';
import { type PlanName, plans } from '../../../shared/contract/plans.ts';
import type { Deps } from '../../kernel/deps.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { periodOf, readAnalytics } from './read-views.ts';

/** As much of a site's analytics as its plan includes. Throws `insufficient_scope` when that is nothing. */
export async function analyticsWithin(
  plan: PlanName,
  { deps, siteId }: { deps: Deps; siteId: string },
  period: string | undefined,
): Promise<z.infer<typeof Analytics>> {
  const { analytics } = plans[plan];
  if (analytics === 'none') {
    throw new ApiError('insufficient_scope', "the site's plan does not include analytics");
  }
  const { top_referrers, utm, ...basic } = await readAnalytics(deps, siteId, periodOf(period));
  return analytics === 'full' ? { ...basic, top_referrers, utm } : basic;
}
