import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { signIn } from '../../../shared/contract/features/assistants.ts';
import { type Issuer, OauthError, type TokenRequest } from '../../../shared/contract/features/oauth.ts';
import { type PlanName, plans } from '../../../shared/contract/plans.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { OauthGrant, OauthToken, type OauthTokenKind } from '../../../shared/db/entities/assistants.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { assistantMarkers, newToken } from '../../api/access/credentials.ts';
import type { Infrastructure, StoreDeps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { isMeant } from './authorize.ts';
import { findRegistered, isDocument } from './clients.ts';

/** Creates a code or token of a grant. Only its hash is stored. */
export async function insertToken(
  em: Transaction,
  { randomBytes }: Pick<StoreDeps, 'randomBytes'>,
  token: { site_id: string; grant_id: string; kind: OauthTokenKind; expires_at: Date },
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

/** Key columns of a token's grant. */
interface GrantKeys {
  site_id: string;
  id: string;
  client_id: string;
  issuer: string;
}

/** Finds the grant of a token; undefined if the token does not exist. */
async function findHeld({ database }: StoreDeps, kind: OauthTokenKind, secret: string) {
  const { rows } = await sql<GrantKeys>`
    select g.site_id, g.id, g.client_id, g.issuer
    from oauth_tokens t join oauth_grants g on g.site_id = t.site_id and g.id = t.grant_id
    where t.token_hash = ${hashSecret(secret)} and t.kind = ${kind}`.execute(database.em.getKysely());
  return rows[0];
}

/** Creates an access token, and a refresh token unless one is given. */
async function issue(
  em: Transaction,
  deps: Infrastructure,
  { site_id, id, scopes, ends_at }: Grant,
  refresh: string | null,
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
 * Revokes a grant by its refresh token, or only an access token (RFC 7009). Unknown tokens and those of another client
 * or address count as revoked already.
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

export interface Exchange {
  issuer: Issuer;
  form: TokenRequest;
  /**
   * Counts the request by the grant, after its code or token was found, so that requests of strangers do not use up its
   * limit.
   */
  countOf(grant: string): Promise<void>;
}

/**
 * Exchanges a code or refresh token for tokens. Throws an `OauthError`: `unsupported_grant_type`, `invalid_request`,
 * `invalid_client`, `invalid_target` or `invalid_grant`. Also rejects with the error of `countOf`. A code or refresh
 * token that is used again, too late for a retry, disconnects the assistant.
 */
export async function exchange(deps: Infrastructure, { issuer, form, countOf }: Exchange) {
  const { client_id, resource } = form;
  const { kind, secret } = offered(form);
  if (client_id === undefined) throw unknownClient();
  const held = await findHeld(deps, kind, secret);
  if (held?.client_id !== client_id)
    throw isDocument(client_id) || (await findRegistered(deps, issuer.siteId, client_id))
      ? spent()
      : unknownClient();
  await countOf(`${held.site_id} ${held.id}`);
  if (held.issuer !== issuer.issuer) throw spent();
  if (!isMeant(resource, held))
    throw new OauthError('invalid_target', 'resource does not match the authorization request');
  const outcome = await inTransaction(deps, held.site_id, (em) =>
    spend(em, deps, held, { kind, secret }, form),
  );
  // Throwing inside the transaction would undo a revocation.
  if (!outcome) throw spent();
  return outcome;
}

function offered({ grant_type, code, refresh_token }: TokenRequest) {
  const [kind, secret] =
    grant_type === 'authorization_code' ? (['code', code] as const) : (['refresh', refresh_token] as const);
  if (kind === 'refresh' && grant_type !== 'refresh_token')
    throw new OauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  if (secret === undefined)
    throw new OauthError('invalid_request', `${kind === 'code' ? 'code' : 'refresh_token'} is missing`);
  return { kind, secret };
}

const spent = () =>
  new OauthError(
    'invalid_grant',
    'the code or refresh token is unknown, expired, already used, or belongs to another client or resource',
  );
const unknownClient = () => new OauthError('invalid_client', 'client_id: unknown client');

interface Grant extends Pick<GrantKeys, 'site_id' | 'id'> {
  scopes: readonly string[];
  ends_at: Date | null;
  redirect_uri: string;
  code_challenge: string;
  plan: PlanName;
  mcp_enabled: boolean;
}

/** Uses a code or refresh token and returns new tokens. Null if it is invalid; the grant may have been revoked then. */
async function spend(
  em: Transaction,
  deps: Infrastructure,
  held: GrantKeys,
  { kind, secret }: ReturnType<typeof offered>,
  form: TokenRequest,
) {
  const now = deps.clock.now();
  const grant = await lockGrant(em, held);
  if (!grant || !isGood(grant, now)) return null;
  const token = await em.findOne(OauthToken, { site_id: held.site_id, token_hash: hashSecret(secret), kind });
  if (!token) return null;
  if (kind === 'code' && !token.replaced_at) {
    if (token.expires_at <= now || !provesItself(grant, form)) return null;
    await em.nativeUpdate(OauthToken, keyOf(token), { replaced_at: now });
    return issue(em, deps, grant, null);
  }
  if (kind === 'refresh' && !token.replaced_at) {
    if (token.expires_at <= now) return null;
    const answer = await issue(em, deps, grant, null);
    // The previous refresh token can no longer be exchanged, because the client uses its successor.
    const { site_id, grant_id } = token;
    const sealed = { site_id, grant_id, successor_sealed: { $ne: null } };
    await em.nativeUpdate(OauthToken, sealed, { successor_sealed: null });
    const successor_sealed = deps.secrets.seal(answer.refresh_token, ownerOf(grant));
    await em.nativeUpdate(OauthToken, keyOf(token), { replaced_at: now, successor_sealed });
    return answer;
  }
  const { replaced_at, successor_sealed } = token;
  const until = (replaced_at?.getTime() ?? 0) + signIn.successorMinutes * 60_000;
  if (successor_sealed && until > now.getTime())
    return issue(em, deps, grant, deps.secrets.open(successor_sealed, ownerOf(grant)));
  // The token was used twice, so it may be stolen. Which of the two clients is legitimate is unknown.
  await em.nativeDelete(OauthGrant, { site_id: grant.site_id, id: grant.id });
  return null;
}

const keyOf = ({ site_id, token_hash }: { site_id: string; token_hash: string }) => ({ site_id, token_hash });

const ownerOf = ({ site_id, id }: Grant) => `oauth ${site_id}/${id}`;

/**
 * Reads a grant with everything that decides whether it is valid. It is locked, so that concurrent exchanges run one
 * after the other.
 */
async function lockGrant(em: Transaction, { site_id, id }: GrantKeys) {
  const { rows } = await sql<Grant>`
    select g.site_id, g.id, g.scopes, g.redirect_uri, g.code_challenge, g.ends_at, s.plan, s.mcp_enabled
    from oauth_grants g
    join site_people m on m.site_id = g.site_id and m.person_id = g.person_id
    join sites s on s.id = g.site_id
    where g.site_id = ${site_id} and g.id = ${id} for update of g`.execute(em.getKysely());
  return rows[0];
}

const isGood = ({ plan, mcp_enabled, ends_at }: Grant, now: Date) =>
  plans[plan].mcp && mcp_enabled && (ends_at === null || ends_at > now);

/** Verifies PKCE (RFC 7636, 4.6). OAuth 2.1 has no `redirect_uri` in this request; if it is sent, it must be the same. */
const provesItself = (
  { code_challenge, redirect_uri }: Grant,
  { code_verifier = '', redirect_uri: given }: TokenRequest,
) =>
  hash('sha256', code_verifier, 'base64url') === code_challenge &&
  (given === undefined || given === redirect_uri);
