import { z } from 'zod';
import { Updated } from '../../../shared/contract/envelopes.ts';
import { HomePreview, ShownSite, SiteSettings, UpdateSite } from '../../../shared/contract/features/site.ts';
import { Theme } from '../../../shared/contract/features/theme.ts';
import { ownerProcedure, staffProcedure } from '../../api/access/procedures.ts';
import { ApiError } from '../../api/api-error.ts';
import { router, updates } from '../../api/trpc.ts';
import { getSettings, refuseOurDomain, updateSettings } from './store.ts';

declare module '../../api/deps.ts' {
  interface Deps {
    /** Renders the home page of the site at `host` for a visitor with this theme. Throws `not_found`. */
    previewHome(host: string, theme: Theme): Promise<{ siteId: string; html: string; css: string }>;
  }
}

const site = router({
  get: ownerProcedure.output(SiteSettings).query(({ ctx }) => getSettings(ctx.deps, ctx.siteId)),
  /** Returns the settings that all staff may see. */
  shown: staffProcedure('account')
    .output(ShownSite)
    .query(async ({ ctx }) => {
      const { id, name, origin, language, currency, time_zone, theme, newsletter } = await getSettings(
        ctx.deps,
        ctx.siteId,
      );
      const { from_name } = newsletter;
      return { id, name, origin, language, currency, time_zone, theme, newsletter: { from_name } };
    }),
  preview: ownerProcedure
    .input(z.strictObject({ theme: Theme }))
    .output(HomePreview)
    .query(async ({ ctx, input }) => {
      const { siteId, ...preview } = await ctx.deps.previewHome(ctx.host, input.theme);
      if (siteId !== ctx.siteId) throw new ApiError('not_found');
      return preview;
    }),
  update: ownerProcedure
    .meta({ conditional: true })
    .input(UpdateSite)
    .output(Updated)
    .mutation(
      updates(async ({ ctx, input }) => {
        refuseOurDomain(ctx.deps.config.publicUrl.hostname, input.custom_domain);
        await updateSettings(ctx, input);
      }),
    ),
});

export const sites = { studio: { site } };
