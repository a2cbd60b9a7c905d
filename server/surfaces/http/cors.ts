import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

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
 * hooks: a browser can read their refusals too, and preflights, which are answered here, are not counted.
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
      maxAge: 7_200,
    },
    () => {},
  );
}
