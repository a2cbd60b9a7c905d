import type { FastifyInstance, FastifyRequest } from 'fastify';
import { admitKey, requireOrigin } from '../access/admit-key.ts';
import { touchKey } from '../access/api-key.ts';
import type { AppRouter } from '../app-router.ts';
import { createContext } from '../context.ts';
import type { Deps } from '../deps.ts';
import { ApiError } from '../errors.ts';
import { readJsonObject } from '../http/body.ts';
import { logOf } from '../http/request-log.ts';
import type { Exchange } from './exchange.ts';
import { createMcpSurface, type McpSurface } from './surface.ts';

/**
 * `/mcp`: the tools of `router` over MCP's Streamable HTTP (DECISIONS 8), one message a request, without sessions or
 * streams. `app` must leave bodies unread.
 */
export function serveMcp(app: FastifyInstance, router: AppRouter, deps: Deps) {
  let surface: McpSurface | undefined;
  app.post('/mcp', async (request, reply) => {
    const exchange = await admit(deps, request);
    const message = await readJsonObject(request.raw, deps.config.bodyLimitBytes);
    // Schemas and SDK take a tenth of a second, which a start without assistants needn't spend.
    const { speak } = await import('./speak.ts');
    surface ??= createMcpSurface(router, deps);
    const version = request.headers['mcp-protocol-version'];
    const { status, body } = await speak(surface, exchange, { message, version });
    if (exchange.refusal) throw exchange.refusal;
    if (body === '') return reply.code(status).send();
    return reply.code(status).type('application/json; charset=utf-8').send(body);
  });
  // The protocol wants 405, not 404, where a server offers no stream to GET and no session to DELETE.
  app.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE'],
    url: '/mcp',
    handler: (_request, reply) => {
      reply.header('Allow', 'POST');
      throw new ApiError('method_not_allowed');
    },
  });
}

/** The checks that come before a message is read: all that don't depend on the tool. */
async function admit(deps: Deps, request: FastifyRequest): Promise<Exchange> {
  const ctx = createContext(deps, request, 'mcp');
  const key = await admitKey(ctx);
  requireOrigin(ctx, key);
  await touchKey(deps, key);
  return { ctx, key, log: logOf(request) };
}
