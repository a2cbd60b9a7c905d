import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  type Issuer,
  OauthError,
  Registration,
  RevocationRequest,
  TokenRequest,
} from '../../../shared/contract/features/oauth.ts';
import type { LimitName, TierName } from '../../../shared/contract/limits.ts';
import { mcpScopeNames } from '../../../shared/contract/scopes.ts';
import { safeParseJson } from '../../../shared/runtime/parse-json.ts';
import { type ApiError, found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { count } from '../../api/limits/count.ts';
import { noteFailure } from '../error-reply.ts';
import { hostName } from '../request-target.ts';
import type { Http } from '../send-representation.ts';

/** Maximum bytes of a body; client registrations are smaller. */
const bodyLimit = 64 * 1024;

const noStore = { 'Cache-Control': 'no-store' } as const;

/** Serves the sign-in of assistants: its metadata (RFC 8414, RFC 9728) and the OAuth endpoints. */
export function serveOauth(
  app: FastifyInstance,
  deps: Deps,
  sendErrorPage: (error: ApiError, http: Http) => Promise<FastifyReply>,
) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit }, (_request, body, done) => done(null, body));
  describe(app, deps);

  const tier = (name: TierName) => ({ config: { tier: name } });
  // Errors before a redirect is possible appear as a page, because a person reads them.
  app.get('/oauth/authorize', tier('normal'), async (request, reply) => {
    try {
      const to = await deps.signIn.authorize(await placeOf(deps, request), Object(request.query));
      return await reply
        .code(303)
        .headers({ ...noStore, 'Referrer-Policy': 'no-referrer', Location: to })
        .send();
    } catch (error) {
      return sendErrorPage(noteFailure(error, request), { request, reply });
    }
  });

  /** Registers an endpoint for programs, whose errors have OAuth's form. */
  const endpoint = (
    path: string,
    answer: (issuer: Issuer, request: FastifyRequest) => Promise<{ status?: 201; body: object }>,
  ) =>
    app.post(path, { ...tier('site'), errorHandler: sendOauthError }, async (request, reply) => {
      const { status = 200, body } = await answer(await placeOf(deps, request), request);
      return reply.code(status).headers(noStore).send(body);
    });
  const charge = ({ decisions }: FastifyRequest, charged: { tier: LimitName; subject: string }) =>
    count(deps.limiter, decisions, charged);

  endpoint('/oauth/register', async (issuer, request) => {
    const { body, client } = request;
    await charge(request, { tier: 'registrations', subject: client });
    const { data } = Registration.safeParse(typeof body === 'string' ? safeParseJson(body) : undefined);
    if (!data) throw new OauthError('invalid_client_metadata', 'expected JSON with redirect_uris');
    return { status: 201, body: await deps.signIn.register(issuer, data) };
  });
  endpoint('/oauth/token', async (issuer, request) => {
    const form = parsed(TokenRequest, request);
    const countOf = (grant: string) => charge(request, { tier: 'assistant_tokens', subject: grant });
    return { body: await deps.signIn.token({ issuer, form, countOf }) };
  });
  endpoint('/oauth/revoke', async (issuer, request) => {
    await deps.signIn.revoke(issuer, parsed(RevocationRequest, request));
    return { body: {} };
  });
}

/** Serves the metadata at the root and with the path of `/mcp`, because clients request either. */
function describe(app: FastifyInstance, deps: Deps) {
  const documents = {
    'oauth-protected-resource': protectedResource,
    'oauth-authorization-server': authorizationServer,
  };
  for (const [name, document] of Object.entries(documents))
    for (const path of ['', '/mcp'])
      app.get(`/.well-known/${name}${path}`, { config: { tier: 'site' } }, async (request, reply) =>
        reply.header('Cache-Control', 'max-age=300').send(document(await placeOf(deps, request))),
      );
}

/** Finds the sign-in location of the host. Throws `not_found` if there is none. */
const placeOf = async (deps: Deps, { headers: { host = '' } }: FastifyRequest) =>
  found(await deps.signIn.issuerAt({ host: hostName(host), authority: host }));

/**
 * Parses a form. Only `resource` may be repeated. Throws an `OauthError` (`invalid_request`) for another body, and for
 * a missing or invalid field.
 */
function parsed<S extends z.ZodType>(schema: S, { body, headers }: FastifyRequest): z.output<S> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
  const fields = new URLSearchParams(isForm && typeof body === 'string' ? body : '');
  const values = [...new Set(fields.keys())].map((name) => {
    const all = fields.getAll(name);
    return [name, all.length === 1 ? all[0] : all];
  });
  const { success, data, error } = schema.safeParse(Object.fromEntries(values));
  if (success) return data;
  throw new OauthError(
    'invalid_request',
    `expected a form with ${error.issues.map(({ path }) => path.join('.')).join(', ')}`,
  );
}

function sendOauthError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof OauthError) {
    request.errorCode = error.code;
    return reply
      .code(error.status)
      .headers(noStore)
      .send({ error: error.code, error_description: error.message });
  }
  const { status, message, retryAfter } = noteFailure(error, request);
  const code =
    status === 429 || status === 503
      ? 'temporarily_unavailable'
      : status < 500
        ? 'invalid_request'
        : 'server_error';
  return reply
    .code(status)
    .headers({ ...noStore, ...(retryAfter !== undefined && { 'Retry-After': `${retryAfter}` }) })
    .send({ error: code, error_description: message });
}

/** Creates the metadata of the protected resource (RFC 9728): its address and authorization server. */
const protectedResource = ({ issuer, resource }: Issuer) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: mcpScopeNames,
  bearer_methods_supported: ['header'],
  resource_name: 'Creator Content Service',
});

/** Creates the metadata of the authorization server (RFC 8414). */
const authorizationServer = ({ issuer }: Issuer) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  scopes_supported: mcpScopeNames,
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
});
