import { Member } from '../../../shared/contract/member.ts';
import { numberedPage } from '../../../shared/contract/pagination.ts';
import { get } from '../../access/route.ts';
import { sparse } from '../../kernel/sparse.ts';
import { router } from '../../kernel/trpc.ts';
import { membersInput } from './list-input.ts';
import { listMembers } from './store.ts';

/** Members over `/api/v2`. */
export const membersV2 = router({
  list: get({
    path: '/v2/members',
    scope: 'read:members',
    tag: 'members',
    mcp: { name: 'list_members', resource: 'members' },
    summary: 'List members',
  })
    .input(membersInput)
    .output(numberedPage(sparse(Member)))
    .query(({ ctx, input }) => listMembers(ctx.deps, ctx.siteId, input)),
});
