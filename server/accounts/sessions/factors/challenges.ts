import { LockMode } from '@mikro-orm/core';
import { challengeRules } from '../../../../shared/contract/features/factors.ts';
import type { Transaction } from '../../../../shared/db/config.ts';
import { type ChallengePurpose, FactorChallengeEntity } from '../../../../shared/db/entities/factor.ts';
import { hashSecret } from '../../../../shared/runtime/secret-box.ts';
import type { Context } from '../../../api/context.ts';
import type { StoreDeps } from '../../../api/deps.ts';

interface NewChallenge {
  purpose: ChallengePurpose;
  /** ID of the person; null if a passkey will identify them. */
  person_id: string | null;
  wanted_site?: string | undefined;
  secret_sealed?: string;
  /** Fixed token of a challenge that exists only once per person, so that the client need not send it. */
  token?: string;
}

/**
 * Creates a challenge and returns its token, which the answer must contain; a passkey signs the token itself. It
 * expires after `challengeRules.minutes`. A given `token` is used instead of a random one, and replaces the earlier
 * challenge that has it.
 */
export async function beginChallenge(
  em: Transaction,
  { clock, randomBytes }: Pick<StoreDeps, 'clock' | 'randomBytes'>,
  { purpose, person_id, wanted_site, secret_sealed, token }: NewChallenge,
): Promise<string> {
  const challenge = token ?? Buffer.from(randomBytes(32)).toString('base64url');
  await em.upsert(FactorChallengeEntity, {
    token_hash: hashSecret(challenge),
    purpose,
    person_id,
    wanted_site: wanted_site ?? null,
    secret_sealed: secret_sealed ?? null,
    tries: 0,
    is_passed: false,
    is_used: false,
    expires_at: new Date(clock.now().getTime() + challengeRules.minutes * 60_000),
  });
  return challenge;
}

/**
 * Finds a challenge of `person_id`, or of anyone if it is undefined, that can be answered or was answered before.
 * Counts a try of an open challenge; `triesLeft` is the number of further ones. A retry with an idempotency key also
 * finds a used challenge, and gets the first answer. Null if there is no such challenge, it has expired, or it has no
 * tries left.
 */
export async function openChallenge(
  { deps: { database, clock }, idempotency }: Pick<Context, 'deps' | 'idempotency'>,
  token: string,
  purposes: readonly ChallengePurpose[],
  person_id?: string,
) {
  const db = database.em.getKysely();
  const token_hash = hashSecret(token);
  const challenge = await db
    .selectFrom('factor_challenges')
    .select(['token_hash', 'purpose', 'person_id', 'wanted_site', 'secret_sealed', 'is_passed', 'is_used'])
    .where('token_hash', '=', token_hash)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', clock.now())
    .executeTakeFirst();
  if (!challenge || (person_id !== undefined && challenge.person_id !== person_id)) return null;
  if (challenge.is_used && !idempotency) return null;
  if (challenge.is_used || challenge.is_passed) return { ...challenge, triesLeft: 0 };
  const counted = await db
    .updateTable('factor_challenges')
    .set(({ eb }) => ({ tries: eb('tries', '+', 1) }))
    .where('token_hash', '=', token_hash)
    .where('tries', '<', challengeRules.tries)
    .where('is_passed', '=', false)
    .where('is_used', '=', false)
    .returning('tries')
    .executeTakeFirst();
  return counted ? { ...challenge, triesLeft: challengeRules.tries - counted.tries } : null;
}

export type OpenedChallenge = NonNullable<Awaited<ReturnType<typeof openChallenge>>>;

/**
 * Returns the id of the person who answered a challenge; null for a wrong answer. `use` consumes the answer in the
 * transaction that locks the challenge, so that of several concurrent answers one is used. `noted` is stored in the
 * challenge after a right answer. Throws `late()` if another answer came first.
 */
export const takeAnswer = (
  { database }: StoreDeps,
  token_hash: string,
  use: (em: Transaction) => Promise<string | null>,
  noted: { is_passed: true } | { is_used: true },
  late: () => Error,
) =>
  database.em.fork().transactional(async (em) => {
    const open = { token_hash, is_passed: false, is_used: false };
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    if (!(await em.findOne(FactorChallengeEntity, open, { lockMode }))) throw late();
    const person_id = await use(em);
    if (person_id !== null) await em.nativeUpdate(FactorChallengeEntity, open, { ...noted, person_id });
    return person_id;
  });

/** Marks a challenge as used; false if a concurrent request did so first. */
export const spendChallenge = async (em: Transaction, token_hash: string) =>
  (await em.nativeUpdate(FactorChallengeEntity, { token_hash, is_used: false }, { is_used: true })) > 0;
