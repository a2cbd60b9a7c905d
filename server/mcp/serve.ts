import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { admitKey, requireOrigin } from '../access/admit-key.ts';
import { touchKey } from '../access/api-key.ts';
import type { AppRouter } from '../app-router.ts';
import { createContext } from '../context.ts';
import type { Deps } from '../deps.ts';
import { ApiError } from '../errors.ts';
import { readJsonObject } from '../http/body.ts';
import type { Exchange } from './exchange.ts';
import { createMcpServer } from './server.ts';
import { createMcpSurface, type McpSurface } from './surface.ts';

/**
 * `/mcp`: the tools of `router` over MCP's Streamable HTTP (DECISIONS 8), one message a request, without sessions or
 * streams. `app` must leave bodies unread.
 */
export function serveMcp(app: FastifyInstance, router: AppRouter, deps: Deps) {
  const surface = createMcpSurface(router, deps);
  app.post('/mcp', (request, reply) => answerMessage(surface, deps, { request, reply }));
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

async function answerMessage(
  surface: McpSurface,
  deps: Deps,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
) {
  const ctx = createContext(deps, request, 'mcp');
  const key = await admitKey(ctx);
  requireOrigin(ctx, key);
  await touchKey(deps, key);
  const message = await readJsonObject(request.raw, deps.config.bodyLimitBytes);
  const exchange: Exchange = { ctx, key, log: request.log };
  const response = await speak(surface, exchange, {
    message,
    version: request.headers['mcp-protocol-version'],
  });
  if (exchange.refusal) throw exchange.refusal;
  if (!response.ok) throw new ApiError('invalid_request', await refusalOf(response));
  const body = await response.text();
  if (body === '') return reply.code(response.status).send();
  return reply.code(response.status).type('application/json; charset=utf-8').send(body);
}

interface Sent {
  message: object;
  /** `MCP-Protocol-Version` */
  version: string | string[] | undefined;
}

/** Hands the message to the SDK's transport. It is told what it insists on: answers are JSON whatever the client accepts. */
async function speak(surface: McpSurface, exchange: Exchange, { message, version }: Sent): Promise<Response> {
  const server = createMcpServer(surface, exchange);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(version !== undefined && { 'mcp-protocol-version': String(version) }),
  });
  await server.connect(transport);
  try {
    const request = new Request('http://mcp/', { method: 'POST', headers });
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** What the transport objects to: a version it doesn't speak, or a message that is none of JSON-RPC's. */
async function refusalOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } };
  return error.message;
}
