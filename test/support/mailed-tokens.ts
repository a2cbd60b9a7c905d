import { randomBytes } from 'node:crypto';
import { findReset, useReset } from '../../server/accounts/sessions/passwords.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import type { Role } from '../../shared/contract/roles.ts';
import { Invitation, PasswordReset, Person } from '../../shared/db/entities/person.ts';
import { emailChangeToken, newInvitationToken, newResetToken } from '../../shared/mail/link-tokens.ts';
import { hashPassword } from '../../shared/runtime/password.ts';
import { hashSecret } from '../../shared/runtime/secret-box.ts';
import type { TestApp } from './app.ts';

/** Creates the token of a link for choosing a new password, as the worker would email it. */
export async function makeResetToken({ deps, clock }: TestApp, email: string): Promise<string> {
  const token = newResetToken(randomBytes);
  const em = deps.database.em.fork();
  const { id: person_id } = await em.findOneOrFail(Person, { email });
  const expires_at = new Date(clock.now().getTime() + 60_000);
  const token_hash = hashSecret(token);
  await em.upsert(PasswordReset, { person_id, token_hash, is_used: false, expires_at });
  return token;
}

/** Sets a new password by such a link. */
export async function choosePassword(app: TestApp, email: string, password: string) {
  const reset = await findReset({ ...app, host: 'localhost' }, await makeResetToken(app, email));
  if (!reset) throw new Error('the new reset token was not found');
  await useReset(app.deps, reset, await hashPassword(password));
}

/** Creates the token of a link that changes an account's address, as the worker would email it. */
export async function makeEmailToken({ deps, clock }: TestApp, email: string, to: string): Promise<string> {
  const { id: personId, updated } = await deps.database.em.fork().findOneOrFail(Person, { email });
  const endsAt = new Date(clock.now().getTime() + 60_000);
  return emailChangeToken(deps.secrets, { personId, email: to, updated, endsAt });
}

/** Creates the token of an invitation to the app's own site, as the worker would email it. */
export async function makeInvitationToken(
  { deps, clock, seed }: TestApp,
  email: string,
  role: Role = 'editor',
): Promise<string> {
  const token = newInvitationToken(randomBytes);
  const created = clock.now();
  await deps.database.em.fork().insert(Invitation, {
    ...{ site_id: await seed.ownSite(), id: newRecordId(created, randomBytes), email, role, is_used: false },
    ...{ token_hash: hashSecret(token), created, expires_at: new Date(created.getTime() + 60_000) },
  });
  return token;
}
