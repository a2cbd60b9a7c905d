import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import Fastify from 'fastify';
import { appRouter } from './app-router.ts';
import { createDeps, type World } from './deps.ts';
import { answerBrokenRequest, answerErrors, sendError } from './http/error-reply.ts';
import { serveHealth } from './http/health.ts';
import { requireHttps } from './http/https.ts';
import { limitByAddress } from './http/limit-by-address.ts';
import { serveRest } from './http/rest.ts';
import { serveRpc } from './http/rpc.ts';

/** Longest path parameter: a slug of 200 characters, percent-encoded. */
const longestParameter = 600;

/** The whole HTTP server over its dependencies; `main.ts` and the tests both listen with it. */
export function buildApp(world: World) {
  const deps = createDeps(world);
  const app = Fastify({
    loggerInstance: deps.logger,
    genReqId: () => randomUUID(),
    trustProxy: deps.config.trustProxy.length > 0 ? deps.config.trustProxy : false,
    bodyLimit: deps.config.bodyLimitBytes,
    routerOptions: { maxParamLength: longestParameter },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket),
  });
  app.addHook('onRequest', async (request, reply) => void reply.header('X-Request-Id', request.id));
  limitByAddress(app, deps);
  requireHttps(app, deps);
  app.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
      'X-Request-Id',
    ],
    strictPreflight: false,
    maxAge: 7_200,
  });
  answerErrors(app);
  serveHealth(app, deps);
  serveRpc(app, deps);
  app.register(async (rest) => {
    // A body is read by its procedure, after the access checks, whatever type it claims.
    rest.removeAllContentTypeParsers();
    rest.addContentTypeParser('*', (_request, _payload, done) => done(null));
    serveRest(rest, appRouter, deps);
  });
  return app;
}
