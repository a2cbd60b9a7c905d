import { ProveSession, SessionProof } from '../../../../shared/contract/features/factors.ts';
import type { Transaction } from '../../../../shared/db/config.ts';
import { OwnerSessionEntity } from '../../../../shared/db/entities/owner-session.ts';
import { provedUntil } from '../../../access/role.ts';
import { admin } from '../../../access/route.ts';
import { guessInside } from '../../../limits/guesses.ts';
import { useCode } from './answers.ts';
import { beginChallenge, openChallenge, takeAnswer } from './challenges.ts';
import { requestOptions, usePasskey } from './passkeys.ts';
import { begunAnew, waysOf, wrongAnswer } from './store.ts';

/** Gives a session a fresh proof, or, asked with nothing, what a proof is to be made of. */
export const proof = admin
  .command({
    path: '/admin/session/proof',
    tag: 'session',
    area: 'account',
    summary: 'Confirm the session with a second factor; an empty body returns a challenge',
  })
  .meta({ changesNothing: true })
  .input(ProveSession)
  .output(SessionProof)
  .mutation(async ({ ctx, input }) => {
    const { deps, session } = ctx;
    const { site_id, session_id: id, person_id, proved_at: before } = session;
    const em = deps.database.em.fork();
    const ways = await waysOf(deps, person_id);
    const asked = { factors: ways, challenge: null, options: null };
    if (ways.length === 0) return { ...asked, proved_until: null };
    const { challenge, code, response } = input;
    if (code === undefined && response === undefined) {
      const challenge = await beginChallenge(em, deps, { purpose: 'proof', person_id });
      const options = ways.includes('passkey') ? await requestOptions(ctx, person_id, challenge) : null;
      const until = before && provedUntil(before);
      return { ...asked, challenge, options, proved_until: until && until > deps.clock.now() ? until : null };
    }
    const opened =
      challenge && (await openChallenge(ctx, { token: challenge, purposes: ['proof'], person_id }));
    if (challenge !== undefined && !opened) throw begunAnew();
    const use = async (within: Transaction) => {
      if (code !== undefined) return useCode(within, deps, { person_id, code });
      return response && challenge
        ? usePasskey({ ...ctx, em: within }, response, { challenge, person_id })
        : null;
    };
    const check = () =>
      opened ? takeAnswer(deps, { ...opened, use, noted: { is_used: true }, late: begunAnew }) : use(em);
    if (!(await guessInside(ctx, { what: 'proof', personId: person_id }, check)))
      throw wrongAnswer(code === undefined ? 'response' : 'code');
    const proved_at = deps.clock.now();
    await em.nativeUpdate(OwnerSessionEntity, { site_id, id }, { proved_at });
    return { ...asked, proved_until: provedUntil(proved_at) };
  });
