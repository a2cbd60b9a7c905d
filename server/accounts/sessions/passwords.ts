import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import { passwordResetMinutes } from '../../../shared/contract/features/account.ts';
import type { ConcurrencyQuota } from '../../../shared/db/concurrency-quota.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { OauthGrant } from '../../../shared/db/entities/assistants.ts';
import { FactorChallengeEntity } from '../../../shared/db/entities/factor.ts';
import { OwnerSessionEntity, PasswordReset, Person } from '../../../shared/db/entities/person.ts';
import { queueJob } from '../../../shared/db/jobs.ts';
import { newResetToken } from '../../../shared/mail/link-tokens.ts';
import { hashPassword, passwordMatches } from '../../../shared/runtime/password.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { hostAdmits, hostNames } from '../../api/access/site-of-host.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { OwnerLogin } from '../../api/callers.ts';
import type { Context } from '../../api/context.ts';
import type { Deps, StoreDeps } from '../../api/deps.ts';
import { throttleProof } from '../../api/limits/sign-in-throttle.ts';
import { inTransaction, lockRow } from '../../api/transaction.ts';

/**
 * Concurrency quota of password checks in a server process. Each check takes 19 MiB of memory, and a thread that file
 * access needs too. `waiting` is the maximum number of waiting checks, `waitMs` the maximum wait, in milliseconds.
 */
export const passwordsAtOnce = { inAll: 2, perSite: 2, waiting: 100, waitMs: 5_000 } as const;

declare module '../../api/deps.ts' {
  interface Deps {
    passwordChecks: ConcurrencyQuota;
  }
}

/**
 * Queues an email with a link to choose a new password, valid for `passwordResetMinutes`. It does the same for every
 * address, so that it does not reveal accounts.
 */
export async function requestReset({ database, clock }: StoreDeps, email: string): Promise<void> {
  const expires_at = resetEndsAt(clock).toISOString();
  await queueJob(database.em, 'mail_password_reset', { email, expires_at });
}

/**
 * Finds the person and first site of the reset link with this token, used or not. Null if it was replaced, expired or
 * never existed, or if `host` admits none of the person's sites.
 */
export async function findReset({ deps, host }: { deps: Deps; host: string }, token: string) {
  const row = await deps.database.em
    .getKysely()
    .selectFrom('password_resets as r')
    .innerJoin('people as p', 'p.id', 'r.person_id')
    .innerJoin('site_people as m', 'm.person_id', 'p.id')
    .select(['m.site_id', 'p.id', 'p.name', 'r.token_hash'])
    .where('r.token_hash', '=', hashSecret(token))
    .where('r.expires_at', '>', deps.clock.now())
    .where(hostAdmits(hostNames(host, deps.config), sql.ref('m.site_id')))
    .orderBy('m.created')
    .orderBy('m.site_id')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

const resetEndsAt = (clock: StoreDeps['clock']) =>
  new Date(clock.now().getTime() + passwordResetMinutes * 60_000);

type Reset = NonNullable<Awaited<ReturnType<typeof findReset>>>;

/**
 * Uses a reset link: replaces the password and ends all sessions. Throws `unauthorized` if the link was used, and
 * `not_found` if the person was deleted.
 */
export const useReset = (deps: StoreDeps, { site_id, id, token_hash }: Reset, password_hash: string) =>
  inTransaction(deps, site_id, async (em) => {
    await lockRow(em, Person, { id });
    const unused = { person_id: id, token_hash, is_used: false };
    if ((await em.nativeUpdate(PasswordReset, unused, { is_used: true })) === 0) throw usedReset();
    await replacePassword(em, deps, id, password_hash);
  });

/** Returns the error `unauthorized` for a link that cannot set a password any more. */
export const usedReset = () =>
  new ApiError(
    'unauthorized',
    'this link was already used, replaced by a later one, or has expired: request a new one',
  );

/**
 * Replaces the password of the signed-in person and ends their other sessions. Throws `validation_failed` if it was
 * replaced after the current one was compared.
 */
export const changePassword = (
  deps: StoreDeps,
  { site_id, person_id: id, session_id: keptSession }: OwnerLogin,
  hashes: { current: string; next: string },
) =>
  inTransaction(deps, site_id, async (em) => {
    const unchanged = { id, password_hash: hashes.current };
    if (!(await em.findOne(Person, unchanged, { lockMode: LockMode.PESSIMISTIC_WRITE }))) throw notCurrent();
    await replacePassword(em, deps, id, hashes.next, keptSession);
  });

/** Returns the error `validation_failed` for a wrong current password. */
export const notCurrent = () => new ApiError('validation_failed', 'current: wrong password');

/**
 * Returns the stored hash of the signed-in person's password. Throws `validation_failed` if `password` is wrong, which
 * counts in the sign-in throttle, and `rate_limited` after too many wrong ones. Throws `not_found` if the account was
 * deleted, and `DatabaseBusyError` if too many password checks are waiting.
 */
export async function hashOfCurrent(ctx: Context & { session: OwnerLogin }, password: string) {
  const matching = () => matchingHash(ctx.deps, ctx.session, password);
  const hash = await throttleProof(ctx, { what: 'password', personId: ctx.session.person_id }, matching);
  if (!hash) throw notCurrent();
  return hash;
}

/** Returns the stored hash of the password; null if `password` is wrong. */
async function matchingHash(deps: Deps, { site_id, person_id: id }: OwnerLogin, password: string) {
  const people = deps.database.em.getKysely().selectFrom('people').select('password_hash');
  const row = await people.where('id', '=', id).executeTakeFirst();
  const { password_hash } = found(row);
  const matches = await deps.passwordChecks(site_id, () => passwordMatches(password, password_hash));
  return matches ? password_hash : null;
}

/**
 * Hashes a new password. Slow, so no row may be locked during the call. Rejects with `DatabaseBusyError` if too many
 * password checks are waiting.
 */
export const hashNew = (deps: Pick<Deps, 'passwordChecks'>, siteId: string, password: string) =>
  deps.passwordChecks(siteId, () => hashPassword(password));

/**
 * Replaces a password. Ends the owner's sessions on all sites except `keptSession`, their challenges, and every reset
 * link that was requested before, mailed or not. Without `keptSession` also disconnects their assistants.
 */
async function replacePassword(
  em: Transaction,
  { clock, randomBytes }: Pick<StoreDeps, 'clock' | 'randomBytes'>,
  id: string,
  password_hash: string,
  keptSession?: string,
) {
  const ended = keptSession === undefined ? {} : { id: { $ne: keptSession } };
  await em.nativeUpdate(Person, { id }, { password_hash, updated: clock.now() });
  await em.nativeDelete(OwnerSessionEntity, { owner_id: id, ...ended });
  await em.nativeDelete(FactorChallengeEntity, { person_id: id });
  // Without `keptSession`, the password was lost. Others who knew it may have connected assistants.
  if (keptSession === undefined) await em.nativeDelete(OauthGrant, { person_id: id });
  const reset = { person_id: id, is_used: true, expires_at: resetEndsAt(clock) };
  const token_hash = hashSecret(newResetToken(randomBytes));
  // A requested reset link has no row until it is mailed. This row marks the latest link as used, so the worker
  // mails no link that ends before it.
  await em.upsert(PasswordReset, { ...reset, token_hash }, { onConflictExcludeFields: ['token_hash'] });
}

/**
 * Creates and returns a reset token for an operator to pass on, valid for `passwordResetMinutes`. An earlier link stops
 * working.
 */
export async function makeReset({ database, clock, randomBytes }: StoreDeps, person_id: string) {
  const token = newResetToken(randomBytes);
  const link = { token_hash: hashSecret(token), is_used: false, expires_at: resetEndsAt(clock) };
  await database.em.fork().upsert(PasswordReset, { person_id, ...link });
  return token;
}
