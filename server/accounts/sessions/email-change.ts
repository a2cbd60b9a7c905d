import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import { z } from 'zod';
import { emailChangeHours } from '../../../shared/contract/features/account.ts';
import { Person } from '../../../shared/db/entities/person.ts';
import { addJob, queueJob } from '../../../shared/db/jobs.ts';
import { type EmailChange, readEmailChangeToken } from '../../../shared/mail/link-tokens.ts';
import { ApiError } from '../../api/api-error.ts';
import type { OwnerLogin } from '../../api/callers.ts';
import type { Context } from '../../api/context.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { notCurrent } from './passwords.ts';
import { findWork } from './store.ts';

/**
 * Sends a confirmation link to a new email address, valid for `emailChangeHours`. The result does not reveal whether
 * another account has the address. Throws `validation_failed` if the password was replaced after it was compared.
 */
export const requestEmailChange = (
  deps: StoreDeps,
  { person_id, site_id }: OwnerLogin,
  { email, password_hash }: { email: string; password_hash: string },
) =>
  inTransaction(deps, site_id, async (em) => {
    const unchanged = { id: person_id, password_hash };
    const person = await em.findOne(Person, unchanged, { lockMode: LockMode.PESSIMISTIC_READ });
    if (!person) throw notCurrent();
    const endsAt = new Date(deps.clock.now().getTime() + emailChangeHours * 3_600_000);
    const [updated, expires_at] = [person.updated.toISOString(), endsAt.toISOString()];
    const payload = { site_id, person_id, email, updated, expires_at };
    await queueJob(em, 'mail_email_change', payload);
  });

/**
 * Finds the account and first site of the link with this token, used or not. Null if it has expired or never existed,
 * or if the account has no site that `host` allows.
 */
export async function findEmailChange({ deps, host }: Pick<Context, 'deps' | 'host'>, token: string) {
  const change = readEmailChangeToken(deps.secrets, token);
  if (!change || change.endsAt <= deps.clock.now()) return null;
  const [first] = await findWork({ deps, host }, change.personId);
  return first ? { ...change, site_id: first.site_id, name: first.name } : null;
}

/**
 * Changes the account's email address and notifies the old one, whose reset links end. Throws `unauthorized` if the
 * account changed after the link was requested, and `account_exists` if another account has the address.
 */
export const useEmailChange = (
  deps: StoreDeps,
  { site_id, personId, email, updated }: EmailChange & { site_id: string },
) =>
  inTransaction(deps, site_id, async (em) => {
    const { rows } = await sql<{ old: string; taken: boolean }>`
      select email as old, exists (select from people where email = ${email} and id <> ${personId}) as taken
      from people where id = ${personId} and updated = ${updated} for update`.execute(em.getKysely());
    const [person] = rows;
    if (!person) throw spentEmailChange();
    if (person.taken) throw hasAccount();
    // The confirmation link contains the account's `updated`. If this time did not increase, the link could be used
    // again.
    const changed = new Date(Math.max(deps.clock.now().getTime(), updated.getTime() + 1));
    await sql`
      with changed as (update people set email = ${email}, updated = ${changed} where id = ${personId}),
        ended as (delete from password_resets where person_id = ${personId})
      select ${addJob('mail_email_changed', { site_id, to: person.old, email })}`
      .execute(em.getKysely())
      .catch((error: unknown) => {
        throw Taken.safeParse(error).success ? hasAccount(error) : error;
      });
  });

/** Error of a concurrent account with the same address. */
const Taken = z.object({ constraint: z.literal('people_email_key') });

const hasAccount = (cause?: unknown) =>
  new ApiError('account_exists', 'this email address belongs to another account', { cause });

/** Returns the error `unauthorized` for a link that cannot confirm an address any more. */
export const spentEmailChange = () =>
  new ApiError(
    'unauthorized',
    'this link was already used, has expired, or the account has changed: request a new one',
  );
