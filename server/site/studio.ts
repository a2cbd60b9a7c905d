import { Updated } from '../../shared/contract/envelopes.ts';
import { Profile, UpdateProfile } from '../../shared/contract/profile.ts';
import { SiteSettings, UpdateSite } from '../../shared/contract/site.ts';
import { ownerProcedure } from '../access/procedures.ts';
import { found } from '../content/procedures.ts';
import { findProfile, updateProfile } from '../profile/store.ts';
import { router } from '../trpc.ts';
import { getSettings, refuseOurDomain, updateSettings } from './settings.ts';

/** DECISIONS 10: the site's settings and its profile. */
export const siteStudio = {
  profile: router({
    get: ownerProcedure
      .output(Profile)
      .query(async ({ ctx }) => found(await findProfile(ctx.deps, ctx.siteId))),
    update: ownerProcedure
      .input(UpdateProfile)
      .output(Updated)
      .mutation(async ({ ctx, input }) => {
        await updateProfile(ctx.deps, ctx.siteId, input);
        return { status: 'updated' as const };
      }),
  }),
  site: router({
    get: ownerProcedure.output(SiteSettings).query(({ ctx }) => getSettings(ctx.deps, ctx.siteId)),
    update: ownerProcedure
      .input(UpdateSite)
      .output(Updated)
      .mutation(async ({ ctx, input }) => {
        refuseOurDomain(ctx.deps.config.publicUrl.hostname, input.custom_domain);
        await updateSettings(ctx.deps, ctx.siteId, input);
        return { status: 'updated' as const };
      }),
  }),
};
