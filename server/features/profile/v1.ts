import { Profile } from '../../../shared/contract/profile.ts';
import { get } from '../../access/route.ts';
import { found } from '../../kernel/errors.ts';
import { router } from '../../kernel/trpc.ts';
import { findProfile } from './store.ts';

/** SPEC "v1 read and write": the profile. */
export const profileV1 = router({
  get: get({
    path: '/v1/profile',
    scope: 'read',
    mcp: { name: 'get_profile', resource: 'profile' },
    summary: "Get the owner's public profile",
    tag: 'profile',
  })
    .meta({ reads: ['profiles'] })
    .output(Profile)
    .query(async ({ ctx }) => found(await findProfile(ctx.deps, ctx.siteId))),
});
