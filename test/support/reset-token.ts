import { randomBytes } from 'node:crypto';
import { PasswordReset } from '../../shared/db/entities/owner-session.ts';
import { Person } from '../../shared/db/entities/person.ts';
import { hashSecret } from '../../shared/hash-secret.ts';
import { newResetToken } from '../../shared/password-reset.ts';
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
