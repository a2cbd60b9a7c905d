import { rm } from 'node:fs/promises';
import pg from 'pg';
import { startEmbeddedDatabase } from '../../shared/postgres/index.ts';
import { makeDatabaseFolder } from './database-folder.ts';
import { withPort } from './delivery-stage.ts';
import { eventually } from './eventually.ts';
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
  async function start() {
    postgres = await startEmbeddedDatabase({ dataDir, durable: true });
    target.port = Number(new URL(postgres.url).port);
  }
  const cleanUp = stack.move();
  return {
    url: withPort(postgres.url, proxy.port),
    /** Current port, for a further proxy in front of it. */
    target,
    async restart() {
      await postgres.stop();
      await start();
    },
    /** Kills the server without warning, and starts it again, which recovers what was committed. */
    async crash() {
      process.kill(await findServer(postgres.url), 'SIGKILL');
      await postgres.stop();
      // Its connections hold the shared memory until they notice the end of the server.
      await eventually(() =>
        start().then(
          () => true,
          () => false,
        ),
      );
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

/** Process of a PostgreSQL server. */
async function findServer(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ file: string }>("select pg_read_file('postmaster.pid') as file");
    return Number.parseInt(rows[0]?.file ?? '', 10);
  } finally {
    await client.end();
  }
}
