import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Deps } from '../deps.ts';

/** `/healthz` says that the process lives, `/readyz` that it can serve: the database answers and is migrated. */
export function serveHealth(app: FastifyInstance, { database }: Deps) {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (request, reply) => {
    try {
      await sql`select 1`.execute(database.em.getKysely());
      const pending = await database.migrator.getPending();
      if (pending.length === 0) return { status: 'ready' };
      return reply
        .code(503)
        .send({ status: 'not ready', reason: 'migrations are pending: run pnpm ops migrate' });
    } catch (error) {
      request.log.error({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'not ready', reason: 'the database does not answer' });
    }
  });
}
