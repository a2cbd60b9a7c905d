import {
  type FactorName,
  maxFactors,
  recoveryCodeCount,
} from '../../../../shared/contract/features/factors.ts';
import { newRecordId, type RandomBytes, randomText } from '../../../../shared/contract/record-id.ts';
import type { Transaction } from '../../../../shared/db/config.ts';
import { FactorChallengeEntity, FactorEntity, RecoveryCode } from '../../../../shared/db/entities/factor.ts';
import { OwnerSessionEntity, Person } from '../../../../shared/db/entities/person.ts';
import { hashSecret } from '../../../../shared/runtime/secret-box.ts';
import { ApiError } from '../../../api/api-error.ts';
import type { OwnerLogin } from '../../../api/callers.ts';
import type { StoreDeps } from '../../../api/deps.ts';
import { inTransaction, lockRow } from '../../../api/transaction.ts';
import { spendChallenge } from './challenges.ts';

/**
 * Returns the second factors of a person, earliest first, and the number of their unused recovery codes. `data` is
 * empty without a second factor.
 */
export async function listFactors({ database }: StoreDeps, { person_id }: { person_id: string }) {
  const db = database.em.getKysely();
  const data = await db
    .selectFrom('factors')
    .select(['id', 'kind', 'name', 'created', 'last_used_at'])
    .where('person_id', '=', person_id)
    .orderBy('created')
    .orderBy('id')
    .execute();
  const codes = db.selectFrom('recovery_codes').select('code_hash').where('person_id', '=', person_id);
  return { data, recovery_codes: (await codes.execute()).length };
}

/** Lists the kinds of proof that a person can give; empty if they have only a password. */
export async function waysOf(deps: StoreDeps, person_id: string): Promise<FactorName[]> {
  const { data, recovery_codes } = await listFactors(deps, { person_id });
  if (data.length === 0) return [];
  const kinds = new Set(data.map(({ kind }) => kind));
  return [
    ...(kinds.has('totp') ? ['totp' as const] : []),
    ...(kinds.has('passkey') ? ['passkey' as const] : []),
    ...(recovery_codes > 0 ? ['recovery' as const] : []),
  ];
}

/** Columns by which an app or a passkey is verified. */
type FactorKey = Partial<
  Record<'secret_sealed' | 'credential_id' | 'public_key', string> & Record<'last_step' | 'counter', number>
> & { transports?: string[] };

interface NewFactor extends FactorKey {
  kind: 'totp' | 'passkey';
  name: string;
  /** Hash of the challenge that the factor answers. */
  token_hash: string;
}

/**
 * Adds a factor that was just used, which also confirms the session. `recovery_codes` contains new codes for the
 * first factor, and is null for others. Throws `not_found` if the person was deleted. Throws `validation_failed` if
 * the challenge was used in the meantime, there are too many factors, or the passkey exists already.
 */
export const addFactor = (
  deps: StoreDeps,
  { site_id, session_id, person_id }: OwnerLogin,
  { token_hash, ...factor }: NewFactor,
) =>
  inTransaction(deps, site_id, async (em) => {
    const now = deps.clock.now();
    await lockRow(em, Person, { id: person_id });
    if (!(await spendChallenge(em, token_hash))) throw begunAnew();
    const others = await em.count(FactorEntity, { person_id });
    if (others >= maxFactors)
      throw new ApiError('validation_failed', `you have ${maxFactors} second factors: remove one first`);
    const id = newRecordId(now, deps.randomBytes);
    const unset = {
      secret_sealed: null,
      last_step: null,
      credential_id: null,
      public_key: null,
      counter: null,
    };
    const row = { ...unset, transports: [], ...factor, person_id, id, created: now, last_used_at: now };
    const insert = em.getKysely().insertInto('factors').values(row);
    const { numInsertedOrUpdatedRows } = await insert
      .onConflict((it) => it.column('credential_id').doNothing())
      .executeTakeFirstOrThrow();
    // The passkey already belongs to an account.
    if (numInsertedOrUpdatedRows === 0n) throw wrongAnswer('response');
    await em.nativeUpdate(OwnerSessionEntity, { site_id, id: session_id }, { proved_at: now });
    return { id, recovery_codes: others === 0 ? await replaceCodes(em, deps, person_id) : null };
  });

/** Returns the error `validation_failed` for a challenge that cannot be answered any more. */
export const begunAnew = () =>
  new ApiError('validation_failed', 'the challenge has expired or had too many attempts: request a new one');

/** Returns the error `validation_failed` for a wrong code, or for the wrong response of a passkey. */
export const wrongAnswer = (field: 'code' | 'response') =>
  new ApiError(
    'validation_failed',
    field === 'code'
      ? 'code: wrong or already used'
      : 'response: does not match the challenge, or the passkey is not accepted',
  );

/** Renames a factor. Throws `not_found` if the person has no such factor. */
export async function renameFactor(
  { database }: StoreDeps,
  { person_id }: OwnerLogin,
  { id, name }: { id: string; name: string },
) {
  const renamed = await database.em.fork().nativeUpdate(FactorEntity, { person_id, id }, { name });
  if (renamed === 0) throw new ApiError('not_found');
}

/** Removes a factor, and the recovery codes with the last one. Throws `not_found` if the person has no such factor. */
export const removeFactor = (deps: StoreDeps, { site_id, person_id }: OwnerLogin, id: string) =>
  inTransaction(deps, site_id, async (em) => {
    await lockRow(em, Person, { id: person_id });
    if ((await em.nativeDelete(FactorEntity, { person_id, id })) === 0) throw new ApiError('not_found');
    if ((await em.count(FactorEntity, { person_id })) === 0)
      await em.nativeDelete(RecoveryCode, { person_id });
  });

/**
 * Replaces the recovery codes and returns the new ones. Throws `validation_failed` if the person has no factor, and
 * `not_found` if the account was deleted.
 */
export const renewCodes = (deps: StoreDeps, { site_id, person_id }: OwnerLogin) =>
  inTransaction(deps, site_id, async (em) => {
    await lockRow(em, Person, { id: person_id });
    if ((await em.count(FactorEntity, { person_id })) === 0)
      throw new ApiError('validation_failed', 'your account has no second factor: add one first');
    return { recovery_codes: await replaceCodes(em, deps, person_id) };
  });

/** Characters without i, l, o and u, which are easily confused with others. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Creates a recovery code of 80 bits, too many to guess it from its hash. */
const newCode = (randomBytes: RandomBytes) => randomText(alphabet, 16, randomBytes);

async function replaceCodes(em: Transaction, { randomBytes }: StoreDeps, person_id: string) {
  const codes = Array.from({ length: recoveryCodeCount }, () => newCode(randomBytes));
  await em.nativeDelete(RecoveryCode, { person_id });
  await em.insertMany(
    RecoveryCode,
    codes.map((code) => ({ person_id, code_hash: hashSecret(code) })),
  );
  return codes.map((code) => code.replace(/.{4}(?=.)/g, '$&-'));
}

/** Deletes all second factors, recovery codes and challenges of a person. */
export async function forgetFactors(em: Transaction, person_id: string) {
  // Challenges are locked first, as in answers to them; another order could deadlock.
  await em.nativeDelete(FactorChallengeEntity, { person_id });
  await em.nativeDelete(FactorEntity, { person_id });
  await em.nativeDelete(RecoveryCode, { person_id });
}

/**
 * Removes the factors of a person who lost them, for an operator. Ends all sessions, because some may have been
 * started without the factors. Throws `not_found` if there is no such person.
 */
export const resetFactors = ({ database }: StoreDeps, person_id: string) =>
  database.em.fork().transactional(async (em) => {
    await lockRow(em, Person, { id: person_id });
    await forgetFactors(em, person_id);
    await em.nativeDelete(OwnerSessionEntity, { owner_id: person_id });
  });
