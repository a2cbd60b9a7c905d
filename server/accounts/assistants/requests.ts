import { sql } from 'kysely';
import type { z } from 'zod';
import {
  type ApproveAssistant,
  isDangerous,
  mayGive,
  signIn,
  wordsOfScope,
} from '../../../shared/contract/features/assistants.ts';
import { mcpScopeNames } from '../../../shared/contract/scopes.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { OauthClient } from '../../../shared/db/entities/assistants.ts';
import { Site } from '../../../shared/db/entities/site.ts';
import { requireAssistants } from '../../api/access/access-checks.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { OwnerLogin } from '../../api/callers.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { answerAt, isOnThisMachine, redirectHost } from './addresses.ts';
import { clientOf, endOf, type Person, requireMayGive } from './grants.ts';
import { insertToken } from './tokens.ts';

/** Sites whose requests the session may answer: its own, and requests at an address of no particular site. */
const sitesOf = ({ site_id }: OwnerLogin) => [site_id, ''];

/**
 * Reads an assistant's request. Throws `not_found`, or `site_required` if it is for another site of this person.
 * Throws `insufficient_scope` if the site's plan excludes assistants, and `mcp_disabled` if they are switched off.
 */
export async function getRequest({ deps, session }: Person, id: string) {
  const request = await findWaiting(deps, session, id);
  if (!request) throw await elsewhere({ deps, session }, id);
  requireAssistants(await deps.database.em.fork().findOneOrFail(Site, session.site_id));
  const { role } = session;
  const requestedScopes = request.asked.length > 0 ? request.asked : ['mcp:read'];
  return {
    id,
    client: clientOf(request),
    redirect_host: redirectHost(request.redirect_uri),
    loopback: isOnThisMachine(request.redirect_uri),
    expires_at: request.expires_at,
    scopes: mcpScopeNames
      .filter((scope) => mayGive(role, scope))
      .map((scope) => ({
        scope,
        words: wordsOfScope(scope, role),
        asked: requestedScopes.includes(scope),
        dangerous: isDangerous(scope),
        ticked: requestedScopes.includes(scope) && !isDangerous(scope),
      })),
  };
}

/** SQL condition: the grant with this id waits for an answer, which the signed-in person may give. */
const isWaiting = (session: OwnerLogin, id: string, now: Date) => sql<boolean>`
  site_id = any(${sitesOf(session)}::text[]) and id = ${id} and person_id is null and expires_at > ${now}`;

const findWaiting = ({ database, clock }: StoreDeps, session: OwnerLogin, id: string) =>
  database.em
    .getKysely()
    .selectFrom('oauth_grants')
    .select(['client_name', 'client_host', 'redirect_uri', 'asked', 'expires_at'])
    .where(isWaiting(session, id, clock.now()))
    .executeTakeFirst();

/**
 * Creates the error for an authorization request that is not for this site. `site_required` names the site that the
 * request is for, if the person works there; otherwise it is `not_found`.
 */
async function elsewhere({ deps: { database, clock }, session }: Person, id: string) {
  const site = await database.em
    .getKysely()
    .selectFrom('site_people as m')
    .innerJoin('oauth_grants as g', 'g.site_id', 'm.site_id')
    .innerJoin('sites as s', 's.id', 'm.site_id')
    .select(['s.id', 's.name', 'm.role'])
    .where('m.person_id', '=', session.person_id)
    .where('g.id', '=', id)
    .where('g.person_id', 'is', null)
    .where('g.expires_at', '>', clock.now())
    .executeTakeFirst();
  return site ? new ApiError('site_required', undefined, { sites: [site] }) : new ApiError('not_found');
}

/**
 * Grants an assistant the selected scopes, until `ends_at` if it is given. Returns the client's URL to redirect to, with a
 * code. Throws `insufficient_role` for scopes beyond the person's role, `validation_failed` for an end in the past, and
 * `not_found` if no such request is waiting. Throws `insufficient_scope` if the site's plan excludes assistants, and
 * `mcp_disabled` if they are switched off.
 */
export function approve(
  { deps, session }: Person,
  { id, scopes, ends_at }: z.infer<typeof ApproveAssistant>,
) {
  requireMayGive(session.role, scopes);
  const { site_id, person_id } = session;
  const now = deps.clock.now();
  const end = endOf(deps, ends_at);
  return inTransaction(deps, site_id, async (em) => {
    requireAssistants(await em.findOneOrFail(Site, site_id));
    const given = { site_id, person_id, scopes: [...new Set(scopes)], created: now, ends_at: end };
    const expires_at = new Date(now.getTime() + signIn.codeSeconds * 1_000);
    const grants = em
      .getKysely()
      .updateTable('oauth_grants')
      .set({ ...given, expires_at });
    const approved = grants
      .where(isWaiting(session, id, now))
      .returning(['client_id', 'client_host', 'redirect_uri', 'state', 'issuer']);
    const request = found(await approved.executeTakeFirst());
    await makeRoom(em, session);
    if (request.client_host === null) await useClient(em, sitesOf(session), request.client_id);
    const code = await insertToken(em, deps, { site_id, grant_id: id, kind: 'code', expires_at });
    return { redirect_to: answerAt(request, { code }) };
  });
}

/** Deletes a person's least recently used grants beyond the maximum. */
const makeRoom = (em: Transaction, { site_id, person_id }: OwnerLogin) =>
  sql`
    delete from oauth_grants where site_id = ${site_id} and id in (
      select id from oauth_grants where site_id = ${site_id} and person_id = ${person_id}
      order by coalesce(last_used_at, created) desc, id desc offset ${signIn.perPerson})`.execute(
    em.getKysely(),
  );

/** Marks a client as used, so that it is not deleted. Throws `not_found` if it was deleted in the meantime. */
async function useClient(em: Transaction, siteIds: string[], id: string) {
  const used = await em.nativeUpdate(OauthClient, { site_id: { $in: siteIds }, id }, { is_used: true });
  if (used === 0) throw new ApiError('not_found');
}

/**
 * Refuses a request. Returns the client's URL to redirect to, with the error. Throws `not_found` if no such request is
 * waiting.
 */
export const deny = ({ deps, session }: Person, id: string) =>
  inTransaction(deps, session.site_id, async (em) => {
    const waiting = em
      .getKysely()
      .deleteFrom('oauth_grants')
      .where(isWaiting(session, id, deps.clock.now()));
    const denied = await waiting.returning(['redirect_uri', 'state', 'issuer']).executeTakeFirst();
    return { redirect_to: answerAt(found(denied), { error: 'access_denied' }) };
  });
