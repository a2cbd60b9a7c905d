import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const exposed = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
];

/**
 * Any origin may ask, without credentials (DECISIONS 4); which of them a key serves is the key's matter. Belongs before
 * all other hooks, so that a browser can read their refusals too.
 */
export function allowAnyOrigin(app: FastifyInstance) {
  const names = exposed.join(', ');
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('Access-Control-Allow-Origin', '*').header('Access-Control-Expose-Headers', names);
    done();
  });
}

/** Answers preflights in a hook: what comes behind it never sees them, so it belongs behind the limits. */
export function answerPreflights(app: FastifyInstance) {
  app.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: exposed,
    strictPreflight: false,
    maxAge: 7_200,
  });
}
