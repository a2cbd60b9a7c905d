import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { OauthError, type SignInPlace, type TokenRequest } from '../../../shared/contract/features/oauth.ts';
import { signIn } from '../../../shared/contract/features/sign-in-limits.ts';
import { type PlanName, plans } from '../../../shared/contract/plans.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { OauthGrant, OauthToken } from '../../../shared/db/entities/assistants.ts';
import { hashSecret } from '../../../shared/hash-secret.ts';
import type { Infrastructure } from '../../kernel/deps.ts';
import { inTransaction } from '../../kernel/transaction.ts';
import { isMeant } from './authorize.ts';
import { findRegistered, isDocument } from './clients.ts';
import { findHeld, type Granted, type Held, issue } from './tokens.ts';

export interface Exchange {
  place: SignInPlace;
  form: TokenRequest;
  /** Called with what was connected, once a code or token of it is there: what strangers send must not hold it up. */
  countOf(grant: string): Promise<void>;
}

/** Gives tokens for a code, or for a refresh token. Throws `OauthError`s. */
export async function exchange(deps: Infrastructure, { place, form, countOf }: Exchange) {
  const { client_id, resource } = form;
  const { kind, secret } = offered(form);
  if (client_id === undefined) throw unknownClient();
  const held = await findHeld(deps, kind, secret);
  if (held?.client_id !== client_id)
    throw isDocument(client_id) || (await findRegistered(deps, place.siteId, client_id))
      ? spent()
      : unknownClient();
  await countOf(`${held.site_id} ${held.id}`);
  if (held.issuer !== place.issuer) throw spent();
  if (!isMeant(resource, held))
    throw new OauthError('invalid_target', 'resource does not match the authorization request');
  const outcome = await inTransaction(deps, held.site_id, (em) =>
    spend(em, deps, { held, kind, secret, form }),
  );
  // Thrown here, so that what was revoked stays so.
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

interface Spending {
  held: Held;
  kind: 'code' | 'refresh';
  secret: string;
  form: TokenRequest;
}

interface Grant extends Granted {
  redirect_uri: string;
  code_challenge: string;
  plan: PlanName;
  mcp_enabled: boolean;
}

/** Null where nothing is given: then the grant may have been revoked. */
async function spend(em: Transaction, deps: Infrastructure, { held, kind, secret, form }: Spending) {
  const now = deps.clock.now();
  const grant = await lockGrant(em, held);
  if (!grant || !isGood(grant, now)) return null;
  const token = await em.findOne(OauthToken, { site_id: held.site_id, token_hash: hashSecret(secret), kind });
  if (!token) return null;
  if (kind === 'code' && !token.replaced_at) {
    if (token.expires_at <= now || !provesItself(grant, form)) return null;
    await em.nativeUpdate(OauthToken, keyOf(token), { replaced_at: now });
    return issue(em, deps, { grant, refresh: null });
  }
  if (kind === 'refresh' && !token.replaced_at) {
    if (token.expires_at <= now) return null;
    const answer = await issue(em, deps, { grant, refresh: null });
    // The one before it is given to nobody any more: this one counts as used.
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
    return issue(em, deps, { grant, refresh: deps.secrets.open(successor_sealed, ownerOf(grant)) });
  // Somebody has it who shouldn't, and nobody knows which of the two.
  await em.nativeDelete(OauthGrant, { site_id: grant.site_id, id: grant.id });
  return null;
}

const keyOf = ({ site_id, token_hash }: { site_id: string; token_hash: string }) => ({ site_id, token_hash });

const ownerOf = ({ site_id, id }: Pick<Held, 'site_id' | 'id'>) => `oauth ${site_id}/${id}`;

/** With all that decides whether it is still good; locked, so that of two who come at once one is the first. */
async function lockGrant(em: Transaction, { site_id, id }: Held) {
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

/** PKCE (RFC 7636, 4.6). OAuth 2.1 has no `redirect_uri` here any more; who sends one has to send the same. */
const provesItself = (
  { code_challenge, redirect_uri }: Grant,
  { code_verifier = '', redirect_uri: given }: TokenRequest,
) =>
  hash('sha256', code_verifier, 'base64url') === code_challenge &&
  (given === undefined || given === redirect_uri);
