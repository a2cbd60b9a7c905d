import { z } from 'zod';
import { Deleted, Updated } from '../../../../shared/contract/envelopes.ts';
import {
  AddedFactor,
  BeginFactor,
  ConfirmTotp,
  FactorList,
  FinishPasskey,
  NewPasskey,
  NewTotp,
  RecoveryCodes,
  RenameFactor,
} from '../../../../shared/contract/features/factors.ts';
import { ById } from '../../../../shared/contract/record-id.ts';
import { staffProcedure } from '../../../api/access/procedures.ts';
import type { OwnerLogin } from '../../../api/callers.ts';
import type { Context } from '../../../api/context.ts';
import { throttleProof } from '../../../api/limits/sign-in-throttle.ts';
import { deletes, router, updates } from '../../../api/trpc.ts';
import { hashOfCurrent } from '../passwords.ts';
import { beginChallenge, openChallenge } from './challenges.ts';
import { newTotp, plainCode, stepOf } from './codes.ts';
import { challengeIn, creationOptions, readRegistration } from './passkeys.ts';
import {
  addFactor,
  begunAnew,
  listFactors,
  removeFactor,
  renameFactor,
  renewCodes,
  wrongAnswer,
} from './store.ts';

const staff = staffProcedure('account');
const proved = staff.meta({ needsProof: true });

/** Adding a factor requires the password, and an existing factor if there is one. */
const begins = proved
  .meta({ changesNothing: true })
  .input(BeginFactor)
  .use(async ({ ctx, input, next }) => {
    await hashOfCurrent(ctx, input.current);
    return next();
  });

/** Returns the token of the only app that a person can be adding, so that it need not be sent. */
const appToAdd = ({ person_id }: OwnerLogin) => `totp ${person_id}`;

const beginTotp = begins.output(NewTotp).mutation(async ({ ctx: { deps, session } }) => {
  const { person_id, email } = session;
  const issuer = deps.config.publicUrl.hostname;
  const { sealed, ...shown } = newTotp(deps, { personId: person_id, label: email, issuer });
  const challenge = {
    purpose: 'add_totp',
    person_id,
    secret_sealed: sealed,
    token: appToAdd(session),
  } as const;
  await beginChallenge(deps.database.em.fork(), deps, challenge);
  return shown;
});

type FactorContext = Context & { session: OwnerLogin };

/**
 * Checks the code of a new app. Returns the hash of the challenge, and the app's columns in `known`. `known` is null
 * if an earlier request with the same idempotency key used the challenge. Throws `validation_failed` for a wrong code
 * or without an open challenge, and `rate_limited` after too many tries.
 */
async function readTotp(ctx: FactorContext, given: string) {
  const { deps, session } = ctx;
  const { person_id } = session;
  const challenge = await openChallenge(ctx, appToAdd(session), ['add_totp'], person_id);
  if (!challenge) throw begunAnew();
  const { token_hash, secret_sealed, is_used } = challenge;
  if (is_used || secret_sealed === null) return { token_hash, known: null };
  const app = { personId: person_id, sealed: secret_sealed, code: plainCode(given) };
  const read = async () => stepOf({ secrets: deps.secrets, now: deps.clock.now() }, app);
  const last_step = await throttleProof(ctx, { what: 'proof', personId: person_id }, read);
  if (last_step === null) throw wrongAnswer('code');
  return { token_hash, known: { kind: 'totp' as const, secret_sealed, last_step } };
}

/**
 * Checks the response of a new passkey. Returns the hash of its challenge, and the passkey's columns in `known`.
 * `known` is null if an earlier request with the same idempotency key used the challenge. Throws `validation_failed`.
 */
async function readPasskey(ctx: FactorContext, response: z.infer<typeof FinishPasskey>['response']) {
  const { person_id } = ctx.session;
  const token = challengeIn(response.response);
  const challenge = await openChallenge(ctx, token, ['add_passkey'], person_id);
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

function add(
  {
    deps,
    session,
    added: { token_hash, known },
  }: FactorContext & { added: Awaited<ReturnType<typeof readTotp | typeof readPasskey>> },
  name: string,
) {
  if (known === null) throw begunAnew();
  return addFactor(deps, session, { token_hash, name, ...known });
}

const beginPasskey = begins.output(NewPasskey).mutation(async ({ ctx }) => {
  const { deps, session } = ctx;
  const challengeInput = { purpose: 'add_passkey', person_id: session.person_id } as const;
  const challenge = await beginChallenge(deps.database.em.fork(), deps, challengeInput);
  return { options: await creationOptions(ctx, session, challenge) };
});

/** Procedures of second factors, which prove the identity of a person in addition to the password. */
export const factors = router({
  list: staff.output(FactorList).query(({ ctx }) => listFactors(ctx.deps, ctx.session)),
  rename: staff
    .input(RenameFactor)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => renameFactor(ctx.deps, ctx.session, input))),
  remove: proved
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => removeFactor(ctx.deps, ctx.session, input.id))),
  totp: router({ begin: beginTotp, confirm: confirmTotp }),
  passkeys: router({ begin: beginPasskey, finish: finishPasskey }),
  recovery: router({
    renew: proved
      .input(z.strictObject({}).prefault({}))
      .output(RecoveryCodes)
      .mutation(({ ctx }) => renewCodes(ctx.deps, ctx.session)),
  }),
});
