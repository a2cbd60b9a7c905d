import { z } from 'zod';
import { TrackView } from '../../../shared/contract/analytics.ts';
import { siteProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';

/** Page views, without cookies (docs/contract.md#analytics). */
export const analyticsSite = router({
  track: siteProcedure
    .input(TrackView)
    .output(z.strictObject({}))
    .mutation(async ({ ctx, input }) => {
      await ctx.deps.tracker.track(ctx, input);
      return {};
    }),
});
