import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import { passwordResetMinutes } from '../../../shared/contract/account.ts';
import { addJob } from '../../../shared/db/add-job.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { OwnerSessionEntity, PasswordReset } from '../../../shared/db/entities/owner-session.ts';
import { Owner } from '../../../shared/db/entities/site.ts';
import { hashSecret } from '../../../shared/hash-secret.ts';
import { newResetToken } from '../../../shared/password-reset.ts';
import { hashPassword, passwordMatches } from '../../access/password.ts';
import { hostAdmits, hostNames } from '../../access/site-of-host.ts';
import { ApiError, found } from '../../kernel/api-error.ts';
import type { OwnerLogin } from '../../kernel/callers.ts';
import type { Deps, StoreDeps } from '../../kernel/deps.ts';
import { inTransaction, lockRow } from '../../kernel/transaction.ts';

/** Has a link to choose a new password by mailed to this address, if it is an owner's. Does the same for every address. */
export async function requestReset({ database, clock }: StoreDeps, email: string): Promise<void> {
  const expires_at = resetEndsAt(clock).toISOString();
  await sql`select ${addJob('mail_password_reset', { email, expires_at })}`.execute(database.em.getKysely());
}

/** Whose password the link with this token is for, used or not; null when it was replaced, its time is up, or it never was. */
export async function findReset({ deps, host }: { deps: Deps; host: string }, token: string) {
  const row = await deps.database.em
    .getKysely()
    .selectFrom('password_resets as r')
    .innerJoin('owners as o', (join) =>
      join.onRef('o.site_id', '=', 'r.site_id').onRef('o.id', '=', 'r.owner_id'),
    )
    .select(['o.site_id', 'o.id', 'o.name', 'r.token_hash'])
    .where('r.token_hash', '=', hashSecret(token))
    .where('r.expires_at', '>', deps.clock.now())
    .where(hostAdmits(hostNames(host, deps.config), sql.ref('r.site_id')))
    .executeTakeFirst();
  return row ?? null;
}

const resetEndsAt = (clock: StoreDeps['clock']) =>
  new Date(clock.now().getTime() + passwordResetMinutes * 60_000);

interface OwnersReset {
  site_id: string;
  /** Of the owner. */
  id: string;
  token_hash: string;
}

/** Uses the link: the owner has the new password, and is signed in nowhere. Throws `unauthorized` for one that was used. */
export const useReset = (deps: StoreDeps, { site_id, id, token_hash }: OwnersReset, password_hash: string) =>
  inTransaction(deps, site_id, async (em) => {
    await lockRow(em, Owner, { site_id, id });
    const unused = { site_id, owner_id: id, token_hash, is_used: false };
    if ((await em.nativeUpdate(PasswordReset, unused, { is_used: true })) === 0) throw usedReset();
    await replacePassword(em, deps, { site_id, id, password_hash });
  });

export const usedReset = () =>
  new ApiError(
    'unauthorized',
    'this link was used, replaced by a later one, or its time is up: ask for another',
  );

/**
 * Gives the owner who is signed in another password, and ends their other sessions. Throws `validation_failed` when it was
 * replaced after the current one was compared.
 */
export const changePassword = (
  deps: StoreDeps,
  { site_id, owner_id: id, session_id: keptSession }: OwnerLogin,
  hashes: { current: string; next: string },
) =>
  inTransaction(deps, site_id, async (em) => {
    const unchanged = { site_id, id, password_hash: hashes.current };
    if (!(await em.findOne(Owner, unchanged, { lockMode: LockMode.PESSIMISTIC_WRITE }))) throw notCurrent();
    await replacePassword(em, deps, { site_id, id, password_hash: hashes.next, keptSession });
  });

export const notCurrent = () => new ApiError('validation_failed', 'current: this is not the password');

/** What the password of the owner who is signed in is stored as; null when it isn't this one. */
export async function matchingHash(deps: Deps, { site_id, owner_id: id }: OwnerLogin, password: string) {
  const owners = deps.database.em.getKysely().selectFrom('owners').select('password_hash');
  const row = await owners.where('site_id', '=', site_id).where('id', '=', id).executeTakeFirst();
  const { password_hash } = found(row);
  const matches = await deps.passwordChecks(site_id, () => passwordMatches(password, password_hash));
  return matches ? password_hash : null;
}

/** Salt and tag of a new password. It takes a while: nothing is to be locked meanwhile. */
export const hashNew = (deps: Pick<Deps, 'passwordChecks'>, siteId: string, password: string) =>
  deps.passwordChecks(siteId, () => hashPassword(password));

interface NewPassword {
  site_id: string;
  /** Of the owner. */
  id: string;
  password_hash: string;
  /** The session that goes on; none when left out. */
  keptSession?: string;
}

/** Ends all sessions of the owner but the one that is kept, and every link that was asked for until now, mailed or not. */
async function replacePassword(
  em: Transaction,
  { clock, randomBytes }: Pick<StoreDeps, 'clock' | 'randomBytes'>,
  { site_id, id, password_hash, keptSession }: NewPassword,
) {
  const ended = keptSession === undefined ? {} : { id: { $ne: keptSession } };
  await em.nativeUpdate(Owner, { site_id, id }, { password_hash, updated: clock.now() });
  await em.nativeDelete(OwnerSessionEntity, { site_id, owner_id: id, ...ended });
  const reset = { site_id, owner_id: id, is_used: true, expires_at: resetEndsAt(clock) };
  const token_hash = hashSecret(newResetToken(randomBytes));
  // Of a link that is yet to be mailed there is no row; the worker mails none that ends before the one that was used.
  await em.upsert(PasswordReset, { ...reset, token_hash }, { onConflictExcludeFields: ['token_hash'] });
}

/** Gives the owner with this address a new password. Throws `not_found`. */
export async function setPassword(deps: StoreDeps, email: string, password: string) {
  const password_hash = await hashPassword(password);
  await deps.database.em.fork().transactional(async (em) => {
    const owner = await em.findOne(Owner, { email: email.toLowerCase() });
    if (!owner) throw new ApiError('not_found', `no owner has the e-mail address ${email}`);
    await replacePassword(em, deps, { site_id: owner.site_id, id: owner.id, password_hash });
  });
}
