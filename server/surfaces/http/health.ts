import type { FastifyInstance } from 'fastify';
import { measureDeliveryQueue } from '../../../shared/db/delivery-queue.ts';
import type { Deps } from '../../kernel/deps.ts';
import { logOf } from './request-log.ts';

/**
 * `/healthz` says that the process lives, `/readyz` that it can serve: the database answers and is migrated. It also
 * shows what the worker has yet to do: a number that grows means that no worker runs.
 */
export function serveHealth(app: FastifyInstance, { database }: Deps) {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (request, reply) => {
    try {
      const pending = await database.migrator.getPending();
      if (pending.length === 0) return { status: 'ready', webhooks: await measureDeliveryQueue(database) };
      return reply
        .code(503)
        .send({ status: 'not ready', reason: 'migrations are pending: run pnpm ops migrate' });
    } catch (error) {
      logOf(request).error({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'not ready', reason: 'the database does not answer' });
    }
  });
}
