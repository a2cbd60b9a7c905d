import { z } from 'zod';
import {
  AnswerChallenge,
  PasskeySignIn,
  ProveSession,
  SessionProof,
} from '../../../../shared/contract/features/factors.ts';
import { OwnerSession } from '../../../../shared/contract/features/session.ts';
import type { Transaction } from '../../../../shared/db/config.ts';
import { OwnerSessionEntity } from '../../../../shared/db/entities/person.ts';
import { provedUntil } from '../../../api/access/access-checks.ts';
import { admin, strictCommand, strictPost } from '../../../api/access/route.ts';
import { ApiError } from '../../../api/api-error.ts';
import type { Context } from '../../../api/context.ts';
import { throttleProof } from '../../../api/limits/sign-in-throttle.ts';
import { inTransaction } from '../../../api/transaction.ts';
import { calledBy, chosenOf, findWork, type Owner, requireUnchanged, startSession } from '../store.ts';
import {
  beginChallenge,
  type OpenedChallenge,
  openChallenge,
  spendChallenge,
  takeAnswer,
} from './challenges.ts';
import { useCode } from './codes.ts';
import { requestOptions, usePasskey } from './passkeys.ts';
import { begunAnew, waysOf, wrongAnswer } from './store.ts';

const tag = 'session';

/**
 * Returns if the person has no second factor, or if there is no person. Otherwise throws `second_factor_required`,
 * with a challenge, or `unauthorized` if the password was replaced in the meantime. Called after the password was
 * correct.
 */
export async function requireFactor(
  ctx: Context,
  [owner]: readonly Owner[],
  wanted_site: string | undefined,
) {
  const { deps } = ctx;
  if (!owner || (await waysOf(deps, owner.id)).length === 0) return;
  const challengeInput = { purpose: 'sign_in', person_id: owner.id, wanted_site } as const;
  const challenge = await inTransaction(deps, owner.site_id, async (em) => {
    // Locks the person, so that a concurrent password change runs later and ends the challenge.
    await requireUnchanged(em, owner);
    return beginChallenge(em, deps, challengeInput);
  });
  throw await factorRequired(ctx, owner.id, challenge);
}

async function factorRequired(ctx: Context, person_id: string, challenge: string, message?: string) {
  const ways = await waysOf(ctx.deps, person_id);
  const options = ways.includes('passkey') && (await requestOptions(ctx, person_id, challenge));
  const factor = { challenge, factors: ways, ...(options && { options }) };
  return new ApiError('second_factor_required', message, factor);
}

const over = () =>
  new ApiError(
    'unauthorized',
    'this sign-in was already completed, has expired, or had too many attempts: sign in again',
  );

/**
 * Returns the person who answered a challenge. Throws `second_factor_required` for a wrong answer, `unauthorized`
 * after the last one, `validation_failed` without an answer, and `rate_limited` after too many wrong codes.
 */
async function personOf(
  ctx: Context,
  opened: OpenedChallenge,
  { challenge, code, response }: z.infer<typeof AnswerChallenge>,
) {
  const { is_passed, is_used, person_id, token_hash, triesLeft } = opened;
  if ((is_passed || is_used) && person_id !== null) return person_id;
  if (code === undefined && response === undefined)
    throw new ApiError('validation_failed', 'code: is required, unless `response` is given');
  const use = async (em: Transaction) => {
    if (response) return usePasskey({ ...ctx, em }, response, challenge, person_id);
    return person_id !== null && code !== undefined ? useCode(em, ctx.deps, person_id, code) : null;
  };
  const check = () => takeAnswer(ctx.deps, token_hash, use, { is_passed: true }, over);
  // Without a person, only a passkey can answer the challenge. Its signature cannot be guessed, so the limits of
  // guesses do not apply.
  const person =
    person_id === null
      ? await check()
      : await throttleProof(ctx, { what: 'factor', personId: person_id }, check);
  if (person !== null) return person;
  if (person_id === null || triesLeft === 0) throw over();
  throw await factorRequired(ctx, person_id, challenge, 'the second factor is wrong or was already used');
}

export const factor = strictPost({
  path: '/admin/session/factor',
  tag,
  summary: 'Log in with a second factor after the password, or with a passkey only',
})
  .meta({ errors: ['unauthorized', 'second_factor_required', 'site_required'], audited: true })
  .input(AnswerChallenge)
  .use(async ({ ctx, input, next }) => {
    const opened = await openChallenge(ctx, input.challenge, ['sign_in', 'passkey']);
    if (!opened) throw over();
    const person_id = await personOf(ctx, opened, input);
    const owner = chosenOf(ctx, await findWork(ctx, person_id, input.site_id ?? opened.wanted_site));
    const { token_hash } = opened;
    return next({ ctx: { owner, token_hash, ...calledBy(owner, `factor ${token_hash}`) } });
  })
  .output(OwnerSession)
  .mutation(async ({ ctx }) => {
    const { deps, owner, token_hash } = ctx;
    // Locks rows in the order of a password reset, which ends challenges.
    await requireUnchanged(deps.database.em.fork(), owner);
    if (!(await spendChallenge(deps.database.em.fork(), token_hash))) throw over();
    return startSession(deps, owner, { ...ctx, proved_at: deps.clock.now() });
  });

export const passkey = strictCommand({
  path: '/admin/session/passkey',
  tag,
  summary: 'Get a challenge for a login with a passkey only',
})
  // Not the tier `strict`: a challenge helps no one to guess a secret, and browsers request one on every sign-in
  // page.
  .meta({ changesNothing: true, tier: 'moderate' })
  .input(z.strictObject({}).prefault({}))
  .output(PasskeySignIn)
  .mutation(async ({ ctx }) => {
    const challengeInput = { purpose: 'passkey', person_id: null } as const;
    // The explicit transaction makes a broken connection repeatable. For a single statement, the outcome would be
    // unknown.
    const begin = (em: Transaction) => beginChallenge(em, ctx.deps, challengeInput);
    const challenge = await ctx.deps.database.em.fork().transactional(begin);
    return { challenge, options: await requestOptions(ctx, null, challenge) };
  });

/**
 * Confirms the session with a second factor. Without an answer, it returns a challenge; null for a person without a
 * second factor.
 */
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
    const challengeInput = { factors: ways, challenge: null, options: null };
    if (ways.length === 0) return { ...challengeInput, proved_until: null };
    const { challenge, code, response } = input;
    if (code === undefined && response === undefined) {
      const challenge = await beginChallenge(em, deps, { purpose: 'proof', person_id });
      const options = ways.includes('passkey') ? await requestOptions(ctx, person_id, challenge) : null;
      const until = before && provedUntil(before);
      return {
        ...challengeInput,
        challenge,
        options,
        proved_until: until && until > deps.clock.now() ? until : null,
      };
    }
    const opened = challenge && (await openChallenge(ctx, challenge, ['proof'], person_id));
    if (challenge !== undefined && !opened) throw begunAnew();
    const use = async (within: Transaction) => {
      if (code !== undefined) return useCode(within, deps, person_id, code);
      return response && challenge
        ? usePasskey({ ...ctx, em: within }, response, challenge, person_id)
        : null;
    };
    const check = () =>
      opened ? takeAnswer(deps, opened.token_hash, use, { is_used: true }, begunAnew) : use(em);
    if (!(await throttleProof(ctx, { what: 'proof', personId: person_id }, check)))
      throw wrongAnswer(code === undefined ? 'response' : 'code');
    const proved_at = deps.clock.now();
    await em.nativeUpdate(OwnerSessionEntity, { site_id, id }, { proved_at });
    return { ...challengeInput, proved_until: provedUntil(proved_at) };
  });
