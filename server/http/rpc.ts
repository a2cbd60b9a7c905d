import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import type { FastifyInstance } from 'fastify';
import { type AppRouter, appRouter } from '../app-router.ts';
import { createContext } from '../context.ts';
import type { Deps } from '../deps.ts';
import { toApiError } from '../errors.ts';

/** The typed RPC surface: tRPC with superjson and batching. */
export function serveRpc(app: FastifyInstance, deps: Deps) {
  app.register(fastifyTRPCPlugin, {
    prefix: '/trpc',
    trpcOptions: {
      router: appRouter,
      createContext: ({ req }) => createContext(deps, req, 'rpc'),
      onError({ error, req, path, type }) {
        const { status, cause } = toApiError(error, type === 'mutation');
        if (status >= 500) req.log.error({ err: cause ?? error, procedure: path }, 'internal error');
      },
    },
  } satisfies FastifyTRPCPluginOptions<AppRouter>);
}
