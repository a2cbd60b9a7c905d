import { z } from 'zod';
import { Deleted } from '../../../shared/contract/envelopes.ts';
import { RequestCode, SignedIn, SignIn } from '../../../shared/contract/member.ts';
import { siteProcedure } from '../../access/procedures.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { router } from '../../kernel/trpc.ts';
import { consumeAs, guess } from '../../limits/guesses.ts';
import { endMemberSession, findMember } from './member-session.ts';
import { requestCode, signIn } from './sign-in.ts';

/** A member as limits count them. */
const personOf = (siteId: string, email: string) => `member ${siteId}/${email}`;

const strict = siteProcedure.meta({ tier: 'strict' });

/** How members sign in (docs/contract.md#members). */
export const membersSite = router({
  requestCode: strict
    .meta({ reachesOut: true })
    .input(RequestCode)
    .output(z.strictObject({}))
    .mutation(async ({ ctx, input: { email, name, challenge } }) => {
      const { deps, siteId } = ctx;
      const mailbox = `${siteId}/${email}`;
      // By the mailbox too: codes can't be had from everywhere, to fill it or to guess on.
      await consumeAs(ctx, personOf(siteId, email), {
        byBrowser: 'codes_browser',
        otherwise: [
          { tier: 'strict', subject: mailbox },
          { tier: 'codes_mailbox', subject: mailbox },
        ],
      });
      await requestCode(deps, { siteId, email, challenge }, name ?? '');
      return {};
    }),
  signIn: strict
    .input(SignIn)
    .output(SignedIn)
    .mutation(async ({ ctx, input: { code, ...asker } }) => {
      const { deps, siteId } = ctx;
      const person = personOf(siteId, asker.email);
      const outcome = await guess(ctx, person, () => signIn(deps, { siteId, ...asker }, code));
      // The try that it took stays taken, or codes could be guessed without end.
      if (!outcome?.session)
        throw new ApiError('unauthorized', 'wrong or expired code', { keepsWrites: true });
      ctx.browser.remember(person);
      return outcome.session;
    }),
  signOut: siteProcedure.output(Deleted).mutation(async ({ ctx }) => {
    const member = await findMember(ctx);
    if (!member) throw new ApiError('unauthorized', 'missing or ended X-Member-Token');
    await endMemberSession(ctx.deps, ctx.siteId, member.session_id);
    return { status: 'deleted' as const };
  }),
});
