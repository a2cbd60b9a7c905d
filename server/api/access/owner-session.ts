import { sql } from 'kysely';
import { preparedStatement } from '../../../shared/db/client.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import type { OwnerLogin } from '../callers.ts';
import type { Deps } from '../deps.ts';
import { noteWhereWritable } from '../transaction.ts';
import { isToken } from './credentials.ts';
import { hostAdmits, hostNames } from './site-of-host.ts';

/**
 * Finds the session with this token. Null if it does not exist or expired, its person no longer works on the site, or
 * `host` is another site's domain.
 */
export async function findOwnerSession(deps: Deps, token: string, host: string): Promise<OwnerLogin | null> {
  if (!isToken('svc_owner_', token)) return null;
  const { rows } = await sql<Omit<OwnerLogin, 'kind'>>`${preparedStatement}
    select t.site_id, t.id as session_id, t.owner_id as person_id, p.email, p.name, m.role, s.name as site_name, t.expires_at, t.last_used_at,
      t.proved_at, exists (select from factors f where f.person_id = t.owner_id) as has_factor
    from owner_sessions t
    join site_people m on m.site_id = t.site_id and m.person_id = t.owner_id
    join people p on p.id = m.person_id
    join sites s on s.id = t.site_id
    where t.token_hash = ${hashSecret(token)} and t.expires_at > ${deps.clock.now()}
      and ${hostAdmits(hostNames(host, deps.config), sql.ref('t.site_id'))}`.execute(
    deps.database.em.getKysely(),
  );
  const [session] = rows;
  if (!session) return null;
  deps.database.quotas.recent.note(session.site_id);
  return { kind: 'owner', ...session };
}

const touchAfterMs = 5 * 60_000;

/** Records that a session was used, at most once in five minutes. */
export async function touchSession(
  deps: Deps,
  { site_id, session_id, last_used_at }: OwnerLogin,
): Promise<void> {
  const now = deps.clock.now();
  if (last_used_at && Math.abs(now.getTime() - last_used_at.getTime()) < touchAfterMs) return;
  await noteWhereWritable(deps, () =>
    deps.database.em
      .getKysely()
      .updateTable('owner_sessions')
      .set({ last_used_at: now })
      .where('site_id', '=', site_id)
      .where('id', '=', session_id)
      .execute(),
  );
}
