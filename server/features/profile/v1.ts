import { Profile } from '../../../shared/contract/profile.ts';
import { get } from '../../access/route.ts';
import { cachedRead } from '../../cache/cached-read.ts';
import { found } from '../../kernel/api-error.ts';
import { router } from '../../kernel/trpc.ts';
import { findProfile } from './store.ts';

/** The profile over `/api/v1`. */
export const profileV1 = router({
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
