import { rm } from 'node:fs/promises';
import { startEmbeddedDatabase } from '../../shared/postgres/index.ts';
import { makeDatabaseFolder } from './database-folder.ts';
import { withPort } from './stage.ts';
import { startProxy } from './tcp-proxy.ts';
import { migrateTemplate } from './template-database.ts';

/** Starts a PostgreSQL of the test, behind an address that stays the same after restarts. */
export async function startOwnDatabase() {
  await using stack = new AsyncDisposableStack();
  const dataDir = await makeDatabaseFolder('creator-content-faults-');
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  let postgres = await startEmbeddedDatabase({ dataDir, durable: true });
  stack.defer(() => postgres.stop());
  const target = { port: Number(new URL(postgres.url).port) };
  const proxy = stack.use(await startProxy(target));
  await migrateTemplate(postgres.url);
  const cleanUp = stack.move();
  return {
    url: withPort(postgres.url, proxy.port),
    /** Current port, for a further proxy in front of it. */
    target,
    async restart() {
      await postgres.stop();
      postgres = await startEmbeddedDatabase({ dataDir, durable: true });
      target.port = Number(new URL(postgres.url).port);
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}
