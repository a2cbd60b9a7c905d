import type { z } from 'zod';
import {
  AddedFactor,
  BeginFactor,
  ConfirmTotp,
  FinishPasskey,
  NewPasskey,
  NewTotp,
} from '../../../../shared/contract/features/factors.ts';
import { staffProcedure } from '../../../access/procedures.ts';
import type { OwnerLogin } from '../../../kernel/callers.ts';
import type { Context } from '../../../kernel/context.ts';
import { router } from '../../../kernel/trpc.ts';
import { guessInside } from '../../../limits/guesses.ts';
import { hashOfCurrent } from '../passwords.ts';
import { beginChallenge, openChallenge } from './challenges.ts';
import { challengeIn, creationOptions, readRegistration } from './passkeys.ts';
import { addFactor, begunAnew, wrongAnswer } from './store.ts';
import { newTotp, plainCode, stepOf } from './totp.ts';

const staff = staffProcedure('account');

/** A factor is added by who knows the password, and has an older factor where there is one. */
const begins = staff
  .meta({ needsProof: true, changesNothing: true })
  .input(BeginFactor)
  .use(async ({ ctx, input, next }) => {
    await hashOfCurrent(ctx, input.current);
    return next();
  });

/** Nobody has more than one app to add at a time, so its challenge need not travel. */
const appToAdd = ({ person_id }: OwnerLogin) => `totp ${person_id}`;

const beginTotp = begins.output(NewTotp).mutation(async ({ ctx: { deps, session } }) => {
  const { person_id, email } = session;
  const issuer = deps.config.publicUrl.hostname;
  const { sealed, ...shown } = newTotp(deps, { personId: person_id, label: email, issuer });
  const asked = { purpose: 'add_totp', person_id, secret_sealed: sealed, token: appToAdd(session) } as const;
  await beginChallenge(deps.database.em.fork(), deps, asked);
  return shown;
});

type Adding = Context & { session: OwnerLogin };

/** What is kept of an app whose code is right; null for a repetition, which gets the answer of the first. Throws `validation_failed`. */
async function readTotp(ctx: Adding, given: string) {
  const { deps, session } = ctx;
  const { person_id } = session;
  const asked = { token: appToAdd(session), purposes: ['add_totp'], person_id } as const;
  const challenge = await openChallenge(ctx, asked);
  if (!challenge) throw begunAnew();
  const { token_hash, secret_sealed, is_used } = challenge;
  if (is_used || secret_sealed === null) return { token_hash, known: null };
  const app = { personId: person_id, sealed: secret_sealed, code: plainCode(given) };
  const read = async () => stepOf({ secrets: deps.secrets, now: deps.clock.now() }, app);
  const last_step = await guessInside(ctx, { what: 'proof', personId: person_id }, read);
  if (last_step === null) throw wrongAnswer('code');
  return { token_hash, known: { kind: 'totp' as const, secret_sealed, last_step } };
}

/** The same of a passkey. */
async function readPasskey(ctx: Adding, response: z.infer<typeof FinishPasskey>['response']) {
  const { person_id } = ctx.session;
  const token = challengeIn(response.response);
  const challenge = await openChallenge(ctx, { token, purposes: ['add_passkey'], person_id });
  if (!challenge) throw begunAnew();
  const { token_hash, is_used } = challenge;
  if (is_used) return { token_hash, known: null };
  const passkey = await readRegistration(ctx, response, token);
  if (!passkey) throw wrongAnswer('response');
  return { token_hash, known: { kind: 'passkey' as const, ...passkey } };
}

const confirmTotp = staff
  .input(ConfirmTotp)
  .use(async ({ ctx, input, next }) => next({ ctx: { added: await readTotp(ctx, input.code) } }))
  .output(AddedFactor)
  .mutation(({ ctx, input }) => add(ctx, input.name ?? 'App'));

const finishPasskey = staff
  .input(FinishPasskey)
  .use(async ({ ctx, input, next }) => next({ ctx: { added: await readPasskey(ctx, input.response) } }))
  .output(AddedFactor)
  .mutation(({ ctx, input }) => add(ctx, input.name));

type Added = Awaited<ReturnType<typeof readTotp | typeof readPasskey>>;

function add({ deps, session, added: { token_hash, known } }: Adding & { added: Added }, name: string) {
  if (known === null) throw begunAnew();
  return addFactor(deps, session, { token_hash, name, ...known });
}

const beginPasskey = begins.output(NewPasskey).mutation(async ({ ctx }) => {
  const { deps, session } = ctx;
  const asked = { purpose: 'add_passkey', person_id: session.person_id } as const;
  const challenge = await beginChallenge(deps.database.em.fork(), deps, asked);
  return { options: await creationOptions(ctx, session, challenge) };
});

/** How an app, or a passkey, becomes somebody's second factor. */
export const totp = router({ begin: beginTotp, confirm: confirmTotp });
export const passkeys = router({ begin: beginPasskey, finish: finishPasskey });
