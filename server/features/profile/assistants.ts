import { Updated } from '../../../shared/contract/envelopes.ts';
import { UpdateProfile } from '../../../shared/contract/profile.ts';
import { keyProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { updateProfile } from './store.ts';

/** The profile as assistants change it. */
export const profileAssistants = router({
  update: keyProcedure
    .meta({
      mcp: {
        name: 'update_profile',
        resource: 'profile',
        title: "Update the owner's public profile",
      },
      audited: true,
    })
    .input(UpdateProfile)
    .output(Updated)
    .mutation(async ({ ctx, input }) => {
      await updateProfile({ deps: ctx.deps, siteId: ctx.siteId }, input);
      return { status: 'updated' as const };
    }),
});
