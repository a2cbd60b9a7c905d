import { sql } from 'kysely';
import type { z } from 'zod';
import { mayGive, type UpdateAssistant } from '../../../shared/contract/features/assistants.ts';
import { opens, type Role } from '../../../shared/contract/roles.ts';
import type { McpScope } from '../../../shared/contract/scopes.ts';
import { toDate } from '../../../shared/contract/timestamps.ts';
import { OauthGrant } from '../../../shared/db/entities/assistants.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { OwnerLogin } from '../../api/callers.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';

/** Signed-in person who works on a site. */
export interface Person {
  deps: Deps;
  session: OwnerLogin;
}

/** Returns the person whose assistants the caller may see; null for all of the site, which owners see. */
const whoseOf = ({ role, person_id }: OwnerLogin) => (opens(role, 'site', true) ? null : person_id);

/**
 * Lists all connected assistants, latest first: those of the whole site for owners, and their own for other people. Expired
 * ones are left out.
 */
export async function listAssistants({ deps, session }: Person) {
  const { database, clock } = deps;
  const whose = whoseOf(session);
  const rows = await database.em
    .getKysely()
    .selectFrom('oauth_grants as g')
    .innerJoin('site_people as m', (join) =>
      join.onRef('m.site_id', '=', 'g.site_id').onRef('m.person_id', '=', 'g.person_id'),
    )
    .innerJoin('people as p', 'p.id', 'm.person_id')
    .select(['g.id', 'g.client_name', 'g.client_host', 'g.scopes'])
    .select(['g.created', 'g.last_used_at', 'g.ends_at', 'g.expires_at'])
    .select(['p.id as person_id', 'p.name as person_name', 'm.role'])
    .where('g.site_id', '=', session.site_id)
    .$if(whose !== null, (own) => own.where('g.person_id', '=', whose))
    .orderBy('g.created', 'desc')
    .orderBy('g.id', 'desc')
    .execute();
  const now = clock.now();
  return (
    rows
      // In the statement, this condition would make PostgreSQL 15 read the grants of all sites.
      .filter(({ ends_at, expires_at }) => expires_at > now && (ends_at === null || ends_at > now))
      .map(({ id, scopes, created, ends_at, ...row }) => ({
        ...{ id, client: clientOf(row), scopes, created, ends_at },
        person: { id: row.person_id, name: row.person_name, role: row.role },
        last_used: row.last_used_at,
      }))
  );
}

/** Describes the client of a grant. Its name is verified if it has a host. */
export const clientOf = (grant: { client_name: string; client_host: string | null }) => ({
  name: grant.client_name,
  host: grant.client_host,
  verified: grant.client_host !== null,
});

/**
 * Changes the scopes of an assistant, effective from its next request. If `ends_at` is undefined, the end remains;
 * null removes it. Throws `not_found`, `validation_failed` for an end in the past, and `insufficient_role` for scopes
 * beyond the role of the person who connected it.
 */
export function updateAssistant(
  { deps, session }: Person,
  { id, scopes, ends_at }: z.infer<typeof UpdateAssistant>,
) {
  const { site_id } = session;
  const end = ends_at === undefined ? undefined : endOf(deps, ends_at);
  return inTransaction(deps, site_id, async (em) => {
    const { rows } = await sql<{ role: Role }>`
      select m.role from oauth_grants g join site_people m on m.site_id = g.site_id and m.person_id = g.person_id
      where g.site_id = ${site_id} and g.id = ${id} and g.expires_at > ${deps.clock.now()} for update of g`.execute(
      em.getKysely(),
    );
    const { role } = found(rows[0]);
    requireMayGive(role, scopes);
    const changes = { scopes: [...new Set(scopes)], ...(end !== undefined && { ends_at: end }) };
    if ((await em.nativeUpdate(OauthGrant, ownGrant(session, id), changes)) === 0)
      throw new ApiError('not_found');
  });
}

/** Disconnects an assistant, effective from its next request. Throws `not_found`. */
export const revokeAssistant = ({ deps, session }: Person, id: string) =>
  inTransaction(deps, session.site_id, async (em) => {
    if ((await em.nativeDelete(OauthGrant, ownGrant(session, id))) === 0) throw new ApiError('not_found');
  });

function ownGrant(session: OwnerLogin, id: string) {
  const whose = whoseOf(session);
  return { site_id: session.site_id, id, person_id: whose ?? { $ne: null } };
}

/** Throws `insufficient_role` for scopes beyond this role. */
export function requireMayGive(role: Role, scopes: readonly McpScope[]) {
  const lacking = scopes.filter((scope) => !mayGive(role, scope));
  if (lacking.length > 0)
    throw new ApiError('insufficient_role', `the role ${role} does not allow ${lacking.join(', ')}`);
}

/** Parses the end of a grant; null if it has none. Throws `validation_failed` for a time in the past. */
export function endOf({ clock }: Pick<Deps, 'clock'>, ends_at: string | Date | null | undefined) {
  const end = ends_at ? toDate(ends_at) : null;
  if (end && end <= clock.now()) throw new ApiError('validation_failed', 'ends_at: must be in the future');
  return end;
}
