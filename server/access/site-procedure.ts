import { ApiError } from '../kernel/api-error.ts';
import { publicProcedure } from './procedures.ts';

/** Needs no credential; the site is the one that the `Host` names, else the only one there is (docs/contract.md#tenants). */
export const siteProcedure = publicProcedure.use(async ({ ctx, next }) => {
  const siteId = await ctx.deps.findSite(ctx.host);
  if (siteId === null) throw new ApiError('not_found');
  return next({ ctx: { siteId } });
});
