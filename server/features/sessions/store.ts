import { sql } from 'kysely';
import { sessionDays } from '../../../shared/contract/limits.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { OwnerSessionEntity } from '../../../shared/db/entities/owner-session.ts';
import { hashSecret } from '../../access/credentials.ts';
import { newSessionToken } from '../../access/owner-session.ts';
import { passwordMatches } from '../../access/password.ts';
import { hostAdmits, hostNames } from '../../access/site-of-host.ts';
import type { OwnerLogin } from '../../kernel/callers.ts';
import type { Deps, Infrastructure, StoreDeps } from '../../kernel/deps.ts';

/** An owner who knows the password. */
export interface Owner {
  site_id: string;
  id: string;
  email: string;
  name: string;
}

/** The owner with this login; null when e-mail or password is wrong, which takes the same time either way. */
export async function findOwner(
  { deps, host }: { deps: Deps; host: string },
  { email, password }: { email: string; password: string },
): Promise<Owner | null> {
  const owner = await deps.database.em
    .getKysely()
    .selectFrom('owners')
    .select(['site_id', 'id', 'email', 'name', 'password_hash'])
    .where('email', '=', email.toLowerCase())
    .where(hostAdmits(hostNames(host, deps.config), sql.ref('site_id')))
    .executeTakeFirst();
  const compare = () => passwordMatches(password, owner?.password_hash);
  const matches = await deps.passwordChecks(owner?.site_id ?? '', compare);
  return owner && matches ? owner : null;
}

/** Logs an owner in. */
export async function startSession({ database, clock, randomBytes }: StoreDeps, owner: Owner) {
  const token = newSessionToken(owner.site_id, randomBytes);
  const now = clock.now();
  const expires_at = new Timestamp(now.getTime() + sessionDays.owner * 86_400_000);
  const em = database.em.fork();
  const session = em.create(OwnerSessionEntity, {
    site_id: owner.site_id,
    id: newRecordId(now, randomBytes),
    owner_id: owner.id,
    token_hash: hashSecret(token),
    expires_at,
    created: now,
  });
  await em.persist(session).flush();
  return { token, expires_at, owner: { id: owner.id, email: owner.email, name: owner.name } };
}

export async function endSession(
  { database }: Infrastructure,
  { site_id, session_id }: OwnerLogin,
): Promise<void> {
  await database.em.fork().nativeDelete(OwnerSessionEntity, { site_id, id: session_id });
}
