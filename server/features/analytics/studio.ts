import { z } from 'zod';
import { Analytics, analyticsQuery } from '../../../shared/contract/analytics.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { analyticsWithin } from './within-plan.ts';

/** Analytics as the owner reads them; the plan limits them as it does over the API. */
export const analyticsStudio = router({
  get: ownerProcedure
    .input(z.object(analyticsQuery).prefault({}))
    .output(Analytics)
    .query(async ({ ctx: { deps, siteId }, input }) => {
      const sites = deps.database.em.getKysely().selectFrom('sites');
      const { plan } = await sites.select('plan').where('id', '=', siteId).executeTakeFirstOrThrow();
      return analyticsWithin(plan, { deps, siteId }, input.period);
    }),
});
