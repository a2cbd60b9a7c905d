import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Says that an answer is that of an earlier request with the same `Idempotency-Key`. */
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
  // Without these, viewers of documents and players on another site fetch all of a file for its first page.
  'Accept-Ranges',
  'Content-Range',
];

/** What every answer but that to a preflight says, names and values in turns. */
export const corsHeaders: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  exposedHeaders.join(', '),
];

/**
 * Any origin may ask, without credentials; which of them a key serves is the key's matter. Belongs before all other
 * hooks: a browser can read their refusals too, and preflights, which are answered here, are not counted. Any other OPTIONS
 * is a request as others are, and gets the same answer once it is counted.
 */
export function allowAnyOrigin(app: FastifyInstance) {
  // Called rather than registered: a registered plugin's hooks would come after those that `app` is given directly.
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

/** Whether a browser asks if a page of another origin may send a request. */
export const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;
