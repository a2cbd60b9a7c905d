import { z } from 'zod';
import { Deleted } from '../../../shared/contract/envelopes.ts';
import { RequestCode, SignedIn, SignIn } from '../../../shared/contract/member.ts';
import { siteProcedure } from '../../access/procedures.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { router } from '../../kernel/trpc.ts';
import { consumeBesides } from '../../limits/consume.ts';
import { endMemberSession, findMember } from './member-session.ts';
import { requestCode, signIn } from './sign-in.ts';

const strict = siteProcedure.meta({ tier: 'strict' });

/** How members sign in (docs/contract.md#members). */
export const membersSite = router({
  requestCode: strict
    .meta({ reachesOut: true })
    .input(RequestCode)
    .output(z.strictObject({}))
    .mutation(async ({ ctx, input: { email, name } }) => {
      const { deps, siteId, client, decisions } = ctx;
      // By the mailbox too: new codes can't be had from everywhere, to fill it or to guess on.
      await consumeBesides(deps.limiter, decisions, {
        first: { tier: 'strict', subject: client },
        also: { tier: 'strict', subject: `${siteId}/${email}` },
      });
      await requestCode(deps, { siteId, email }, name ?? '');
      return {};
    }),
  signIn: strict
    .input(SignIn)
    .output(SignedIn)
    .mutation(({ ctx, input }) => signIn(ctx.deps, { siteId: ctx.siteId, email: input.email }, input.code)),
  signOut: siteProcedure.output(Deleted).mutation(async ({ ctx }) => {
    const member = await findMember(ctx);
    if (!member) throw new ApiError('unauthorized', 'missing or ended X-Member-Token');
    await endMemberSession(ctx.deps, ctx.siteId, member.session_id);
    return { status: 'deleted' as const };
  }),
});
