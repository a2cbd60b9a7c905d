import { Updated } from '../../../shared/contract/envelopes.ts';
import { Profile, UpdateProfile } from '../../../shared/contract/features/profile.ts';
import { keyWrite, staffProcedure } from '../../api/access/procedures.ts';
import { get } from '../../api/access/route.ts';
import { found } from '../../api/api-error.ts';
import { cachedRead } from '../../api/cache/cached-read.ts';
import { router, updates } from '../../api/trpc.ts';
import { findProfile, updateProfile } from './store.ts';

const v1 = router({
  get: get({
    path: '/v1/profile',
    scope: 'read',
    mcp: { name: 'get_profile', resource: 'profile' },
    summary: "Get the owner's public profile",
    tag: 'profile',
  })
    .concat(cachedRead('profiles'))
    .output(Profile)
    .query(async ({ ctx }) => found(await findProfile(ctx.deps, ctx.siteId))),
});

const studio = router({
  get: staffProcedure('content')
    .output(Profile)
    .query(async ({ ctx }) => found(await findProfile(ctx.deps, ctx.siteId))),
  update: staffProcedure('publish')
    .meta({ conditional: true })
    .input(UpdateProfile)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateProfile(ctx, input))),
});

const assistants = router({
  update: keyWrite
    .meta({
      mcp: { name: 'update_profile', resource: 'profile', title: "Update the owner's public profile" },
      audited: true,
    })
    .input(UpdateProfile)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateProfile({ deps: ctx.deps, siteId: ctx.siteId }, input))),
});

export const profile = {
  v1: { profile: v1 },
  studio: { profile: studio },
  assistants: { profile: assistants },
};
