import { z } from 'zod';
import { Updated } from '../../../shared/contract/envelopes.ts';
import { Member, UpdateMember } from '../../../shared/contract/member.ts';
import { numberedPage } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { sparse } from '../../kernel/sparse.ts';
import { router } from '../../kernel/trpc.ts';
import { ownMembersInput } from './list-input.ts';
import { getMember, listMembers, updateMember } from './store.ts';

/** What an owner does with members. */
export const membersStudio = router({
  list: ownerProcedure
    .input(ownMembersInput)
    .output(numberedPage(sparse(Member)))
    .query(({ ctx, input }) => listMembers(ctx.deps, ctx.siteId, input)),
  get: ownerProcedure
    .input(z.strictObject({ id: RecordId }))
    .output(Member)
    .query(({ ctx, input }) => getMember(ctx.deps, ctx.siteId, input.id)),
  update: ownerProcedure
    .meta({ conditional: true })
    .input(UpdateMember)
    .output(Updated)
    .mutation(async ({ ctx, input }) => {
      await updateMember(ctx, input);
      return { status: 'updated' as const };
    }),
});
