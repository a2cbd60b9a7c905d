import { randomBytes } from 'node:crypto';
import { findReset, useReset } from '../../server/accounts/sessions/passwords.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import type { Role } from '../../shared/contract/roles.ts';
import { Invitation, PasswordReset, Person } from '../../shared/db/entities/person.ts';
import { emailChangeToken, newInvitationToken, newResetToken } from '../../shared/mail/link-tokens.ts';
import { hashPassword } from '../../shared/runtime/password.ts';
import { hashSecret } from '../../shared/runtime/secret-box.ts';
import type { TestApp } from './app.ts';

/** Of a link by which an owner chooses a new password, as the worker would mail it. */
export async function makeResetToken({ deps, clock }: TestApp, email: string): Promise<string> {
  const token = newResetToken(randomBytes);
  const em = deps.database.em.fork();
  const { id: person_id } = await em.findOneOrFail(Person, { email });
  const expires_at = new Date(clock.now().getTime() + 60_000);
  const token_hash = hashSecret(token);
  await em.upsert(PasswordReset, { person_id, token_hash, is_used: false, expires_at });
  return token;
}

/** Has somebody choose a new password by a link. */
export async function choosePassword(app: TestApp, email: string, password: string) {
  const reset = await findReset({ ...app, host: 'localhost' }, await makeResetToken(app, email));
  if (!reset) throw new Error('the link is unknown');
  await useReset(app.deps, reset, await hashPassword(password));
}

/** Of a link by which a new address becomes that of an account, as the worker would mail it. */
export async function makeEmailToken({ deps, clock }: TestApp, email: string, to: string): Promise<string> {
  const { id: personId, updated } = await deps.database.em.fork().findOneOrFail(Person, { email });
  const endsAt = new Date(clock.now().getTime() + 60_000);
  return emailChangeToken(deps.secrets, { personId, email: to, updated, endsAt });
}

/** Of a link by which somebody comes to work on the app's own site, as the worker would mail it. */
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
