import type { TRPCError } from '@trpc/server';
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maxBatchCalls } from '../../shared/contract/limits.ts';
import { appRouter } from '../app-router.ts';
import { createContext } from '../context.ts';
import type { Deps } from '../deps.ts';
import { ApiError, toApiError } from '../errors.ts';
import { limitCalls } from './limit-calls.ts';
import { logOf } from './request-log.ts';
import { createRpcFromMemory } from './rpc-from-memory.ts';
import { calledPath } from './rpc-path.ts';

/** The typed RPC surface: tRPC with superjson and batching. A query is a GET, a mutation a POST with a JSON body. */
export function serveRpc(app: FastifyInstance, deps: Deps) {
  app.register(async (rpc) => {
    rpc.removeAllContentTypeParsers();
    rpc.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
      decodeUtf8(body),
    );
    limitCalls(rpc, appRouter, deps);
    const fromMemory = createRpcFromMemory(appRouter, deps);
    rpc.all('/trpc', (request, reply) => answer(deps, request, reply));
    rpc.all('/trpc/*', async (request, reply) => {
      const kept = await fromMemory(request);
      if (kept === null) return answer(deps, request, reply);
      return reply.headers({ 'Content-Type': 'application/json', Vary: 'trpc-accept, accept' }).send(kept);
    });
  });
}

async function answer(deps: Deps, req: FastifyRequest, res: FastifyReply) {
  if (req.method !== 'GET' && req.method !== 'POST') throw new ApiError('not_found');
  await fastifyRequestHandler({
    req,
    res,
    path: calledPath(req),
    router: appRouter,
    maxBatchSize: maxBatchCalls,
    createContext: () => createContext(deps, req, 'rpc'),
    responseMeta: ({ errors }) => challenge(errors),
    onError({ error, path, type }) {
      const { status, cause } = toApiError(error, type === 'mutation');
      if (status >= 500) logOf(req).error({ err: cause ?? error, procedure: path }, 'internal error');
    },
  });
}

/** A 401 must say which scheme is wanted (RFC 9110, 15.5.2). */
const challenge = (errors: readonly TRPCError[]) =>
  errors.some(({ code }) => code === 'UNAUTHORIZED')
    ? { headers: new Headers({ 'WWW-Authenticate': 'Bearer' }) }
    : {};

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (cause) {
    throw new ApiError('invalid_request', 'invalid request body: not JSON in UTF-8', { cause });
  }
}
