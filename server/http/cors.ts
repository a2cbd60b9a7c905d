import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Header of an answer that repeats that of an earlier request with the same `Idempotency-Key`. */
export const replayHeader = 'Idempotency-Replayed';

const exposedHeaders = [
  'ETag',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
  replayHeader,
  'Link',
  'WWW-Authenticate',
  // Without these, PDF viewers and players on another site fetch the whole file for its first page.
  'Accept-Ranges',
  'Content-Range',
];

/** CORS headers of every answer except those to preflights, as alternating names and values. */
export const corsHeaders: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  exposedHeaders.join(', '),
];

/**
 * Allows requests from any origin, without credentials; a key restricts its own origins. Must come before all other
 * hooks: browsers can then read refusals too, and preflights, which are answered here, are not counted. Other OPTIONS
 * requests get the same answer but are counted.
 */
export function allowAnyOrigin(app: FastifyInstance) {
  // A direct call, because hooks of a registered plugin would run after those of `app`.
  cors(
    app,
    {
      origin: '*',
      methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      exposedHeaders,
      strictPreflight: false,
      preflightContinue: true,
      maxAge: 7_200,
    },
    () => {},
  );
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'OPTIONS') return done();
    reply.code(204);
    if (!isPreflight(request)) return done();
    // Without a length some browsers wait for a body.
    reply.header('Content-Length', '0').send();
  });
}

/** True for a preflight: a browser's question whether a page of another origin may send a request. */
export const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;
