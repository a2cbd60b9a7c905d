import { z } from 'zod';
import { AnswerChallenge, PasskeySignIn } from '../../../../shared/contract/features/factors.ts';
import type { PasskeyResponse } from '../../../../shared/contract/features/passkeys.ts';
import { OwnerSession } from '../../../../shared/contract/features/session.ts';
import type { Transaction } from '../../../../shared/db/config.ts';
import { strictCommand, strictPost } from '../../../access/route.ts';
import { ApiError } from '../../../kernel/api-error.ts';
import type { Context } from '../../../kernel/context.ts';
import { inTransaction } from '../../../kernel/transaction.ts';
import { guessInside } from '../../../limits/guesses.ts';
import { calledBy, chosenOf, findWork, type Owner, requireUnchanged, startSession } from '../store.ts';
import { useCode } from './answers.ts';
import {
  beginChallenge,
  type OpenedChallenge,
  openChallenge,
  spendChallenge,
  takeAnswer,
} from './challenges.ts';
import { requestOptions, usePasskey } from './passkeys.ts';
import { waysOf } from './store.ts';

const tag = 'session';

/** Throws `second_factor_required` for who has one, once their password was right. */
export async function requireFactor(
  ctx: Context,
  [owner]: readonly Owner[],
  wanted_site: string | undefined,
) {
  const { deps } = ctx;
  if (!owner || (await waysOf(deps, owner.id)).length === 0) return;
  const asked = { purpose: 'sign_in', person_id: owner.id, wanted_site } as const;
  const challenge = await inTransaction(deps, owner.site_id, async (em) => {
    // Who replaces the password meanwhile comes after the challenge is there, and ends it.
    await requireUnchanged(em, owner);
    return beginChallenge(em, deps, asked);
  });
  throw await factorRequired(ctx, { person_id: owner.id, challenge });
}

async function factorRequired(
  ctx: Context,
  { person_id, challenge }: { person_id: string; challenge: string },
  message?: string,
) {
  const ways = await waysOf(ctx.deps, person_id);
  const options = ways.includes('passkey') && (await requestOptions(ctx, person_id, challenge));
  const factor = { challenge, factors: ways, ...(options && { options }) };
  return new ApiError('second_factor_required', message, factor);
}

interface Answered {
  challenge: string;
  code?: string | undefined;
  response?: z.infer<typeof PasskeyResponse> | undefined;
}

const over = () =>
  new ApiError(
    'unauthorized',
    'this sign-in was already completed, has expired, or had too many attempts: sign in again',
  );

/** Who answered a challenge rightly. Throws `second_factor_required` for a wrong answer, `unauthorized` after the last. */
async function personOf(ctx: Context, opened: OpenedChallenge, { challenge, code, response }: Answered) {
  const { is_passed, is_used, person_id, token_hash, triesLeft } = opened;
  if ((is_passed || is_used) && person_id !== null) return person_id;
  if (code === undefined && response === undefined)
    throw new ApiError('validation_failed', 'code: is required, unless `response` is given');
  const check = () =>
    takeAnswer(ctx.deps, {
      token_hash,
      use: async (em) => {
        if (response) return usePasskey({ ...ctx, em }, response, { challenge, person_id });
        return person_id !== null && code !== undefined ? useCode(em, ctx.deps, { person_id, code }) : null;
      },
      noted: { is_passed: true },
      late: over,
    });
  // Nobody guesses what a passkey signs, and who has only that is known by it alone.
  const person =
    person_id === null
      ? await check()
      : await guessInside(ctx, { what: 'factor', personId: person_id }, check);
  if (person !== null) return person;
  if (person_id === null || triesLeft === 0) throw over();
  throw await factorRequired(ctx, { person_id, challenge }, 'the second factor is wrong or was already used');
}

export const factor = strictPost({
  path: '/admin/session/factor',
  tag,
  summary: 'Log in with a second factor after the password, or with a passkey only',
})
  .meta({ errors: ['unauthorized', 'second_factor_required', 'site_required'], audited: true })
  .input(AnswerChallenge)
  .use(async ({ ctx, input, next }) => {
    const asked = { token: input.challenge, purposes: ['sign_in', 'passkey'] } as const;
    const opened = await openChallenge(ctx, asked);
    if (!opened) throw over();
    const person_id = await personOf(ctx, opened, input);
    const owner = chosenOf(ctx, await findWork(ctx, person_id, input.site_id ?? opened.wanted_site));
    const { token_hash } = opened;
    return next({ ctx: { owner, token_hash, ...calledBy(owner, `factor ${token_hash}`) } });
  })
  .output(OwnerSession)
  .mutation(async ({ ctx }) => {
    const { deps, owner, token_hash } = ctx;
    // In the order of a reset, which ends challenges.
    await requireUnchanged(deps.database.em.fork(), owner);
    if (!(await spendChallenge(deps.database.em.fork(), token_hash))) throw over();
    return startSession(deps, owner, { ...ctx, proved_at: deps.clock.now() });
  });

export const passkey = strictCommand({
  path: '/admin/session/passkey',
  tag,
  summary: 'Get a challenge for a login with a passkey only',
})
  // Nothing is guessed by it, and browsers ask for it wherever somebody may sign in.
  .meta({ changesNothing: true, tier: 'moderate' })
  .input(z.strictObject({}).prefault({}))
  .output(PasskeySignIn)
  .mutation(async ({ ctx }) => {
    const asked = { purpose: 'passkey', person_id: null } as const;
    // Alone it would be in doubt, and no reason to try again, where the connection broke before.
    const begin = (em: Transaction) => beginChallenge(em, ctx.deps, asked);
    const challenge = await ctx.deps.database.em.fork().transactional(begin);
    return { challenge, options: await requestOptions(ctx, null, challenge) };
  });
