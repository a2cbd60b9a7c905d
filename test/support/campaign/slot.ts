import { testSecretKey } from '../app.ts';
import { startServerProcess, withoutLimits } from '../server-process.ts';
import { withPort } from '../stage.ts';
import { startProxy } from '../tcp-proxy.ts';
import { startWorkerProcess } from '../worker-process.ts';
import type { Size } from './size.ts';

/** Process that can be killed. */
interface Killable extends AsyncDisposable {
  kill(): Promise<void>;
}

interface Database {
  url: string;
  /** Current address of the database. */
  target: { port: number };
}

/** Starts a process behind its own proxy to the database. `replace` starts a new one after a kill. */
async function startSlot<P extends Killable>(database: Database, start: (databaseUrl: string) => Promise<P>) {
  await using stack = new AsyncDisposableStack();
  const proxy = stack.use(await startProxy(database.target));
  const startHere = () => startAgain(() => start(withPort(database.url, proxy.port)));
  let current = await startHere();
  stack.defer(() => current[Symbol.asyncDispose]());
  const cleanUp = stack.move();
  return {
    proxy,
    get process() {
      return current;
    },
    async replace() {
      current = await startHere();
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

/** Starts a process again if it fails, as a supervisor does. A process that finds no database at its start ends. */
async function startAgain<P>(start: () => Promise<P>, tries = 10): Promise<P> {
  return start().catch((error: unknown) => {
    if (tries <= 1) throw error;
    return startAgain(start, tries - 1);
  });
}

export const startServerSlot = (database: Database) =>
  startSlot(database, async (databaseUrl) => {
    const server = await startServerProcess(databaseUrl, {
      ...withoutLimits,
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    });
    const kill = async () => {
      server.signal('SIGKILL');
      await server.ended();
    };
    return Object.assign(server, { kill });
  });

export const startWorkerSlot = (database: Database, caFile: string, size: Size) =>
  startSlot(database, (databaseUrl) =>
    startWorkerProcess({
      DATABASE_URL: databaseUrl,
      SECRET_KEY: testSecretKey,
      NODE_EXTRA_CA_CERTS: caFile,
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      WEBHOOK_TIMEOUT_MS: String(size.timeoutMs),
      WEBHOOK_RETRY_SECONDS: size.retrySeconds.join(','),
    }),
  );
