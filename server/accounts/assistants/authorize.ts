import { signIn } from '../../../shared/contract/features/assistants.ts';
import { type Issuer, SignInClient, SignInRequest } from '../../../shared/contract/features/oauth.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { mcpScopeNames } from '../../../shared/contract/scopes.ts';
import { OauthGrant } from '../../../shared/db/entities/assistants.ts';
import { isLoopbackHost } from '../../../shared/selling/test-sales.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Infrastructure } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { answerAt, matchesRedirect, resourceAt } from './addresses.ts';
import type { Documents } from './client-documents.ts';
import { type AskingClient, findRegistered, isDocument } from './clients.ts';

export interface SignInDeps extends Infrastructure {
  findDocument: Documents;
}

/**
 * Stores a client's request until a person answers it. Returns the URL to redirect the browser to: the consent screen,
 * or the client with an error. Throws `invalid_request` for an unknown client or an unregistered redirect URL, because
 * such a client must not get a redirect.
 */
export async function authorize(deps: SignInDeps, signInIssuer: Issuer, query: object): Promise<string> {
  const { client, redirect_uri } = await clientOf(deps, signInIssuer, query);
  const { success, data } = SignInRequest.safeParse(query);
  const { issuer, siteId: site_id } = signInIssuer;
  const request = { redirect_uri, state: data?.state ?? null, issuer };
  const fault = success
    ? faultOf(data, signInIssuer)
    : invalid('a parameter is empty, too long or given more than once');
  if (fault) return answerAt(request, fault);
  const now = deps.clock.now();
  const id = newRecordId(now, deps.randomBytes);
  await inTransaction(deps, site_id, async (em) => {
    // Anyone can create requests, so expired ones are deleted here, before the daily cleanup.
    await em.nativeDelete(OauthGrant, { site_id, person_id: null, expires_at: { $lte: now } });
    await em.insert(OauthGrant, {
      ...{
        site_id,
        id,
        ...request,
        client_id: client.id,
        client_name: client.name,
        client_host: client.host,
      },
      code_challenge: data?.code_challenge ?? '',
      asked: scopesIn(data?.scope),
      ...{ scopes: [], person_id: null, created: now, last_used_at: null, ends_at: null },
      expires_at: new Date(now.getTime() + signIn.requestMinutes * 60_000),
    });
  });
  // On a developer's machine, the browser stays on the loopback address that it requested.
  const studio = isLoopbackHost(new URL(issuer).hostname) ? issuer : deps.config.publicUrl;
  return new URL(`/studio/connect/${id}`, studio).href;
}

/** Finds the client of a request and its redirect URL. Throws `invalid_request`. */
async function clientOf(deps: SignInDeps, { siteId }: Issuer, query: object) {
  const { success, data } = SignInClient.safeParse(query);
  if (!success) throw new ApiError('invalid_request', 'client_id: is required');
  const client = await findClient(deps, siteId, data.client_id);
  if (!client)
    throw new ApiError(
      'invalid_request',
      'client_id: unknown client, or its metadata document cannot be read; remove this site from the assistant and connect it again',
    );
  // OAuth 2.1 lets a client with a single redirect URL omit it.
  const { redirect_uris } = client;
  const redirect_uri = data.redirect_uri ?? (redirect_uris.length === 1 ? redirect_uris[0] : undefined);
  if (redirect_uri === undefined || !matchesRedirect(redirect_uris, redirect_uri))
    throw new ApiError('invalid_request', 'redirect_uri: not registered for this assistant');
  return { client, redirect_uri };
}

/** Finds the client of an authorization request; null if it is unknown, or if its document cannot be read. */
const findClient = (deps: SignInDeps, siteId: string, id: string): Promise<AskingClient | null> =>
  isDocument(id) ? deps.findDocument(id) : findRegistered(deps, siteId, id);

const invalid = (error_description: string, error = 'invalid_request') => ({ error, error_description });

function faultOf(request: NonNullable<ReturnType<typeof SignInRequest.safeParse>['data']>, issuer: Issuer) {
  const { response_type, code_challenge = '', code_challenge_method, resource } = request;
  if (response_type !== 'code') return invalid('response_type must be code', 'unsupported_response_type');
  if (!/^[\w-]{43}$/.test(code_challenge) || code_challenge_method !== 'S256')
    return invalid('code_challenge is required, with code_challenge_method S256');
  return isMeant(resource, issuer) ? null : invalid(`resource must be ${issuer.resource}`, 'invalid_target');
}

/**
 * True if a request is for this resource: with or without a trailing slash, or without `resource`, as some existing clients
 * send it.
 */
export const isMeant = (resources: readonly string[] | undefined, { issuer }: { issuer: string }) =>
  (resources ?? []).every((one) => URL.parse(one)?.href.replace(/\/$/, '') === resourceAt(issuer));

/** Returns the known scopes of a request. Others, such as `offline_access`, have no effect here. */
const scopesIn = (scopes = '') => {
  const words = scopes.split(/\s+/);
  return mcpScopeNames.filter((scope) => words.includes(scope));
};
