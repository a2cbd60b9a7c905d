import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  OauthError,
  Registration,
  RevocationRequest,
  type SignInPlace,
  TokenRequest,
} from '../../../shared/contract/features/oauth.ts';
import type { LimitName, TierName } from '../../../shared/contract/limits.ts';
import { mcpScopeNames } from '../../../shared/contract/scopes.ts';
import { parseJson } from '../../../shared/runtime/parse-json.ts';
import { type ApiError, found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { count } from '../../api/limits/count.ts';
import type { Http } from '../answer.ts';
import { noteFailure } from '../error-reply.ts';
import { hostName } from '../well-formed.ts';

/** More than a client says of itself, in bytes. */
const bodyLimit = 64 * 1024;

const noStore = { 'Cache-Control': 'no-store' } as const;

/** Signing in of assistants: where it is described (RFC 8414, RFC 9728), and OAuth's own endpoints. */
export function serveOauth(
  app: FastifyInstance,
  deps: Deps,
  sendErrorPage: (error: ApiError, http: Http) => Promise<FastifyReply>,
) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit }, (_request, body, done) => done(null, body));
  describe(app, deps);

  const tier = (name: TierName) => ({ config: { tier: name } });
  // A person is here, so what fails before anybody can be sent back is a page.
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

  /** One of the endpoints that programs call, whose errors have OAuth's form. */
  const endpoint = (
    path: string,
    answer: (place: SignInPlace, request: FastifyRequest) => Promise<{ status?: 201; body: object }>,
  ) =>
    app.post(path, { ...tier('site'), errorHandler: sendOauthError }, async (request, reply) => {
      const { status = 200, body } = await answer(await placeOf(deps, request), request);
      return reply.code(status).headers(noStore).send(body);
    });
  const charge = ({ decisions }: FastifyRequest, charged: { tier: LimitName; subject: string }) =>
    count(deps.limiter, decisions, charged);

  endpoint('/oauth/register', async (place, request) => {
    await charge(request, { tier: 'registrations', subject: request.client });
    const { data } = Registration.safeParse(jsonOf(request.body));
    if (!data) throw new OauthError('invalid_client_metadata', 'expected JSON with redirect_uris');
    return { status: 201, body: await deps.signIn.register(place, data) };
  });
  endpoint('/oauth/token', async (place, request) => {
    const form = parsed(TokenRequest, request);
    const countOf = (grant: string) => charge(request, { tier: 'assistant_tokens', subject: grant });
    return { body: await deps.signIn.token({ place, form, countOf }) };
  });
  endpoint('/oauth/revoke', async (place, request) => {
    await deps.signIn.revoke(place, parsed(RevocationRequest, request));
    return { body: {} };
  });
}

/** At the root and with the path of what is called: clients ask for either. */
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

/** Throws `not_found` where nobody signs in. */
const placeOf = async (deps: Deps, { headers: { host = '' } }: FastifyRequest) =>
  found(await deps.signIn.placeAt({ host: hostName(host), authority: host }));

/** A form's fields by name; `resource` alone may come more than once. */
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

function jsonOf(body: unknown): unknown {
  try {
    return parseJson(z.string().parse(body));
  } catch {
    return undefined;
  }
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

/** RFC 9728: what assistants call, and who gives them tokens for it. */
const protectedResource = ({ issuer, resource }: SignInPlace) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: mcpScopeNames,
  bearer_methods_supported: ['header'],
  resource_name: 'Creator Content Service',
});

/** RFC 8414: how a token is had. */
const authorizationServer = ({ issuer }: SignInPlace) => ({
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
