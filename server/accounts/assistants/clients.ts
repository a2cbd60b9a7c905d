import { sql } from 'kysely';
import type { z } from 'zod';
import { cutText } from '../../../shared/contract/cut-text.ts';
import { signIn } from '../../../shared/contract/features/assistants.ts';
import { OauthError, type Registration } from '../../../shared/contract/features/oauth.ts';
import { storableTextOf } from '../../../shared/contract/fields.ts';
import { base62, randomText } from '../../../shared/contract/record-id.ts';
import { OauthClient } from '../../../shared/db/entities/assistants.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { isAllowedRedirect } from './addresses.ts';

export interface AskingClient {
  id: string;
  name: string;
  /** Host that verifies the name; null if the name is unverified. */
  host: string | null;
  redirect_uris: readonly string[];
}

/** Maximum length of a client's name, in UTF-16 units. Longer names are shortened. */
const maxNameLength = 100;

/** Creates a client from its own description, with the allowed ones of its redirect URLs; null if none is allowed. */
export function describedClient(
  { client_name = '', redirect_uris }: z.output<typeof Registration>,
  { id, host }: Pick<AskingClient, 'id' | 'host'>,
): AskingClient | null {
  const allowed = [...new Set(redirect_uris)].filter(isAllowedRedirect).slice(0, signIn.redirects);
  // Invisible characters could imitate another name, and stacked marks could cover the text around the name.
  const shown = storableTextOf(client_name)
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .trim();
  const name = cutText(shown, maxNameLength);
  if (allowed.length === 0) return null;
  return { id, host, name: name || host || 'Unnamed assistant', redirect_uris: allowed };
}

/**
 * Registers a client (RFC 7591). It gets codes and refresh tokens but no secret, whatever it requested: existing
 * clients work without one. Throws `OauthError` with `invalid_redirect_uri` if none of its redirect URLs is allowed.
 *
 * The site's oldest unused clients are deleted to make room. Those with a waiting request are deleted only if enough
 * later ones are waiting too.
 */
export async function registerClient(
  deps: StoreDeps,
  siteId: string,
  metadata: z.output<typeof Registration>,
) {
  const { clock, randomBytes } = deps;
  const id = `svc_client_${randomText(base62, 27, randomBytes)}`;
  const client = describedClient(metadata, { id, host: null });
  if (!client)
    throw new OauthError(
      'invalid_redirect_uri',
      'redirect_uris: must be https URLs, loopback URLs, or URLs with a known private scheme',
    );
  const created = clock.now();
  const { name } = client;
  const redirect_uris = [...client.redirect_uris];
  await inTransaction(deps, siteId, async (em) => {
    await em.insert(OauthClient, { site_id: siteId, id, name, redirect_uris, is_used: false, created });
    const latest = (waiting = sql``) => sql`select id from oauth_clients
      where site_id = ${siteId} and not is_used ${waiting}
      order by created desc, id desc limit ${signIn.unusedClients}`;
    const waiting = sql`and id in (select client_id from oauth_grants
      where site_id = ${siteId} and person_id is null and expires_at > ${created})`;
    await sql`delete from oauth_clients where site_id = ${siteId} and not is_used
      and id not in (${latest()}) and id not in (${latest(waiting)})`.execute(em.getKysely());
  });
  return {
    client_id: id,
    client_id_issued_at: Math.floor(created.getTime() / 1_000),
    client_name: name,
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/** True if a client ID is the URL of a document about the client. */
export const isDocument = (clientId: string) => /^https?:/i.test(clientId);

/** Finds the client that registered at a site with this id; null if it does not exist. */
export async function findRegistered({ database }: StoreDeps, siteId: string, id: string) {
  const clients = database.em.getKysely().selectFrom('oauth_clients').select(['id', 'name', 'redirect_uris']);
  const row = await clients.where('site_id', '=', siteId).where('id', '=', id).executeTakeFirst();
  return row ? { ...row, host: null } : null;
}
