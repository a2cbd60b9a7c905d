import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../../shared/contract/errors.ts';
import { isKeySecret, keyPrefix } from '../../access/key-secret.ts';
import type { CallRecord } from '../../kernel/context.ts';
import type { Deps } from '../../kernel/deps.ts';
import { createPathReader } from './known-path.ts';
import { onAnswered } from './on-answered.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What was called over RPC, or by an assistant. */
    calls: CallRecord[];
    /** What the request as a whole was refused with. */
    errorCode: ErrorCode | undefined;
  }
}

/**
 * One line for each request: never its body, and of its address the route, since a path or a query may hold what is
 * secret. `route` is null for an address that leads nowhere, whose `path` has only words that are ours.
 */
export function logRequests(app: FastifyInstance, { logger }: Deps) {
  // These lines hold nothing to redact, and looking for it costs more than all else about them.
  const log = logger.child({}, { redact: [] });
  const pathOf = createPathReader(app);
  app.decorateRequest('calls');
  app.decorateRequest('errorCode');
  app.addHook('onRequest', (request, _reply, done) => {
    request.calls = [];
    done();
  });
  onAnswered(app, (request, reply) => {
    log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        path: request.is404 ? pathOf(request.url) : undefined,
        calls: request.calls.length > 0 ? request.calls.map(named) : undefined,
        status: reply.statusCode,
        error: request.errorCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        key_prefix: keyPrefixOf(request),
      },
      'request',
    );
  });
}

const named = ({ name, error }: CallRecord) => (error ? `${name} ${error}` : name);

/** The log of what happens to one request. Made when there is something to say: most requests have nothing. */
export const logOf = (request: FastifyRequest) => request.log.child({ request_id: request.id });

function keyPrefixOf({ headers }: FastifyRequest): string | undefined {
  const credential = headers.authorization?.split(' ').at(-1) ?? '';
  return isKeySecret(credential) ? keyPrefix(credential) : undefined;
}
