import { Updated } from '../../../shared/contract/envelopes.ts';
import { SiteSettings, UpdateSite } from '../../../shared/contract/site.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { getSettings, refuseOurDomain, updateSettings } from './settings.ts';

/** The site's settings as its owner reads and changes them. */
export const siteStudio = router({
  get: ownerProcedure.output(SiteSettings).query(({ ctx }) => getSettings(ctx.deps, ctx.siteId)),
  update: ownerProcedure
    .input(UpdateSite)
    .output(Updated)
    .mutation(async ({ ctx, input }) => {
      refuseOurDomain(ctx.deps.config.publicUrl.hostname, input.custom_domain);
      await updateSettings(ctx.deps, ctx.siteId, input);
      return { status: 'updated' as const };
    }),
});
