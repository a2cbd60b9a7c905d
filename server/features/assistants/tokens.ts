import { sql } from 'kysely';
import { signIn } from '../../../shared/contract/features/sign-in-limits.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { OauthGrant, OauthToken, type OauthTokenKind } from '../../../shared/db/entities/assistants.ts';
import { hashSecret } from '../../../shared/hash-secret.ts';
import { assistantMarkers, newToken } from '../../access/credentials.ts';
import type { Infrastructure, StoreDeps } from '../../kernel/deps.ts';
import { inTransaction } from '../../kernel/transaction.ts';

interface NewToken {
  site_id: string;
  grant_id: string;
  kind: OauthTokenKind;
  expires_at: Date;
}

/** A new code or token of a grant, which nobody can see again. */
export async function insertToken(
  em: Transaction,
  { randomBytes }: Pick<StoreDeps, 'randomBytes'>,
  token: NewToken,
): Promise<string> {
  const secret = newToken(assistantMarkers[token.kind], token.site_id, randomBytes);
  await em.insert(OauthToken, {
    ...token,
    token_hash: hashSecret(secret),
    replaced_at: null,
    successor_sealed: null,
  });
  return secret;
}

/** What a token is of, as it is when it is asked for. */
export interface Held {
  site_id: string;
  id: string;
  client_id: string;
  issuer: string;
}

/** The grant that a token is of; undefined for what is none. */
export async function findHeld(
  { database }: StoreDeps,
  kind: OauthTokenKind,
  secret: string,
): Promise<Held | undefined> {
  const { rows } = await sql<Held>`
    select g.site_id, g.id, g.client_id, g.issuer
    from oauth_tokens t join oauth_grants g on g.site_id = t.site_id and g.id = t.grant_id
    where t.token_hash = ${hashSecret(secret)} and t.kind = ${kind}`.execute(database.em.getKysely());
  return rows[0];
}

export type Granted = Pick<Held, 'site_id' | 'id'> & { scopes: readonly string[]; ends_at: Date | null };

/** An access token, and a refresh token: a new one, or the one that there is. */
export async function issue(
  em: Transaction,
  deps: Infrastructure,
  { grant: { site_id, id, scopes, ends_at }, refresh }: { grant: Granted; refresh: string | null },
) {
  const now = deps.clock.now().getTime();
  const accessMs = Math.min(signIn.accessSeconds * 1_000, ends_at ? ends_at.getTime() - now : Infinity);
  const kept = new Date(now + signIn.refreshDays * 86_400_000);
  const insert = (kind: 'access' | 'refresh', expires_at: Date) =>
    insertToken(em, deps, { site_id, grant_id: id, kind, expires_at });
  const access_token = await insert('access', new Date(now + accessMs));
  const refresh_token = refresh ?? (await insert('refresh', kept));
  if (refresh === null) await em.nativeUpdate(OauthGrant, { site_id, id }, { expires_at: kept });
  return {
    access_token,
    token_type: 'Bearer',
    expires_in: Math.floor(accessMs / 1_000),
    refresh_token,
    scope: scopes.join(' '),
  };
}

/**
 * Ends a grant by its refresh token, or an access token alone (RFC 7009). What nobody has, another client, or a client of another
 * address, is ended already.
 */
export async function revoke(
  deps: StoreDeps,
  { issuer }: { issuer: string },
  { token, client_id }: { token: string; client_id?: string | undefined },
) {
  const kind = (['access', 'refresh'] as const).find((one) => token.startsWith(assistantMarkers[one]));
  const held = kind && (await findHeld(deps, kind, token));
  if (held?.issuer !== issuer || (client_id !== undefined && client_id !== held.client_id)) return;
  const { site_id, id } = held;
  await inTransaction(deps, site_id, async (em) => {
    if (kind === 'refresh') await em.nativeDelete(OauthGrant, { site_id, id });
    else await em.nativeDelete(OauthToken, { site_id, token_hash: hashSecret(token) });
  });
}
