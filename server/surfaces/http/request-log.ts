import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isKeySecret, keyPrefix } from '../../access/key-secret.ts';
import type { Deps } from '../../kernel/deps.ts';

/**
 * One line for each request: never its body, and of its address only the route, since a path or a query may hold what
 * is secret. `route` is null for an address that leads nowhere.
 */
export function logRequests(app: FastifyInstance, { logger }: Deps) {
  // These lines hold nothing to redact, and looking for it costs more than all else about them.
  const log = logger.child({}, { redact: [] });
  app.addHook('onResponse', (request, reply, done) => {
    log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        key_prefix: keyPrefixOf(request),
      },
      'request',
    );
    done();
  });
}

/** The log of what happens to one request. Made when there is something to say: most requests have nothing. */
export const logOf = (request: FastifyRequest) => request.log.child({ request_id: request.id });

function keyPrefixOf({ headers }: FastifyRequest): string | undefined {
  const credential = headers.authorization?.split(' ').at(-1) ?? '';
  return isKeySecret(credential) ? keyPrefix(credential) : undefined;
}
