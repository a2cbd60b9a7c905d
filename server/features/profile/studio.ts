import { Updated } from '../../../shared/contract/envelopes.ts';
import { Profile, UpdateProfile } from '../../../shared/contract/profile.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { found } from '../../kernel/api-error.ts';
import { router } from '../../kernel/trpc.ts';
import { findProfile, updateProfile } from './store.ts';

/** The profile as its owner reads and changes it. */
export const profileStudio = router({
  get: ownerProcedure
    .output(Profile)
    .query(async ({ ctx }) => found(await findProfile(ctx.deps, ctx.siteId))),
  update: ownerProcedure
    .meta({ conditional: true })
    .input(UpdateProfile)
    .output(Updated)
    .mutation(async ({ ctx, input }) => {
      await updateProfile(ctx, input);
      return { status: 'updated' as const };
    }),
});
