import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { lazily } from '../../../shared/runtime/single-flight.ts';
import { admit } from '../../api/access/admit-request.ts';
import { touchKey } from '../../api/access/api-key.ts';
import { ApiError, toApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import type { AppRouter } from '../../api/router/app-router.ts';
import { readJsonObject } from '../body.ts';
import { createContext } from '../create-context.ts';
import type { WrittenDocument } from '../openapi/written-document.ts';
import { logOf } from '../request-log.ts';
import { hostName } from '../request-target.ts';
import { jsonType } from '../send-representation.ts';
import type { McpHeaders, McpRequest } from './mcp-request.ts';
import { createMcpSurface } from './tools.ts';

/**
 * Serves `/mcp`: tools, prompts and resources over MCP's Streamable HTTP, one message per request, without sessions or
 * streams. `app` must leave bodies unread.
 */
export function serveMcp(app: FastifyInstance, router: AppRouter, document: WrittenDocument, deps: Deps) {
  const surface = lazily(() => createMcpSurface(router, document));
  app.post('/mcp', { errorHandler: withSignIn(deps) }, async (request, reply) => {
    const mcpRequest = await enter(deps, request);
    const message = await readJsonObject(request.raw, deps.config.bodyLimitBytes);
    // Loading schemas and SDK takes 100 ms, which a start without assistants can avoid.
    const { dispatch } = await import('./dispatch.ts');
    const { status, body } = await dispatch(await surface(), mcpRequest, message);
    if (mcpRequest.refusal) throw mcpRequest.refusal;
    if (body === '') return reply.code(status).send();
    return reply.code(status).type(jsonType).send(body);
  });
  // The protocol requires 405 instead of 404 from servers without streams for GET or sessions for DELETE.
  app.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE'],
    url: '/mcp',
    handler: (_request, reply) => {
      reply.header('Allow', 'POST');
      throw new ApiError('method_not_allowed');
    },
  });
}

/** Adds to a refusal how assistants sign in (RFC 9728, 5.1). */
const withSignIn =
  (deps: Deps) =>
  async (error: FastifyError, { headers }: FastifyRequest): Promise<never> => {
    const answer = toApiError(error, false);
    const { host = '', authorization } = headers;
    if (answer.challenge === undefined) throw answer;
    // The refusal is sent even if the database is unavailable.
    const issuer = await deps.signIn.issuerAt({ host: hostName(host), authority: host }).catch(() => null);
    if (!issuer) throw answer;
    const isUnknown = answer.status === 401;
    answer.signIn = {
      ...(isUnknown && authorization !== undefined && { error: 'invalid_token' }),
      resource_metadata: `${issuer.issuer}/.well-known/oauth-protected-resource/mcp`,
      ...(isUnknown && { scope: 'mcp:read' }),
    };
    throw answer;
  };

/** Runs the checks before a message is read: all that do not depend on the tool. */
async function enter(deps: Deps, request: FastifyRequest): Promise<McpRequest> {
  const ctx = createContext(deps, request, 'mcp');
  const admission = await admit(ctx, { surface: 'mcp' });
  const { refusal, caller: key, needsTouch } = admission;
  if (refusal) throw refusal;
  if (key?.kind !== 'key') throw new Error(`/mcp: unexpected caller ${key?.kind}`);
  if (needsTouch) await touchKey(deps, key);
  return { ctx: { ...ctx, admission }, key, log: logOf(request), headers: headersOf(request) };
}

const headersOf = ({ headers }: FastifyRequest): McpHeaders => ({
  'mcp-protocol-version': headers['mcp-protocol-version']?.toString(),
  'mcp-method': headers['mcp-method']?.toString(),
  'mcp-name': headers['mcp-name']?.toString(),
});
