import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../../shared/db/config.ts';
import { startApp, testSecretKey } from '../app.ts';
import { keepFile, withPort } from '../delivery-stage.ts';
import { eventually } from '../eventually.ts';
import { type CallOptions, createCaller, type Answer as HttpAnswer } from '../http.ts';
import { startOwnDatabase } from '../own-database.ts';
import { startServerProcess, withoutLimits } from '../server-process.ts';
import { startProxy } from '../tcp-proxy.ts';
import { createCertificate } from '../tls-receiver.ts';
import { startWorkerProcess } from '../worker-process.ts';
import { type Answer, startCampaignReceiver } from './receiver.ts';
import { leaseMs, type Size } from './size.ts';

/**
 * Starts the processes of a campaign: an own PostgreSQL, two servers and two workers, each behind its own proxy to the
 * database.
 */
export async function startField(size: Size) {
  await using stack = new AsyncDisposableStack();
  const certificate = await createCertificate();
  const caFile = await keepFile(stack, certificate.cert);
  const postgres = stack.use(await startOwnDatabase());
  const app = stack.use(await startApp({ serverUrl: postgres.url }));
  app.clock.catchUp();
  const database = { url: app.databaseUrl, target: postgres.target };
  const observer = await openDatabase({ url: app.databaseUrl, poolSize: 2, applicationName: 'observer' });
  stack.defer(() => observer.close());
  const [firstServer, firstWorker, secondServer, secondWorker] = await Promise.all([
    startServerSlot(database),
    startWorkerSlot(database, caFile, size),
    startServerSlot(database),
    startWorkerSlot(database, caFile, size),
  ]);
  const servers = [stack.use(firstServer), stack.use(secondServer)];
  const workers = [stack.use(firstWorker), stack.use(secondWorker)];
  const client = createFailoverClient(() => servers.map((slot) => slot.process.baseUrl));
  const credentials = { token: await app.seed.ownerToken(), key: await app.seed.key() };
  const cleanUp = stack.move();

  return {
    postgres,
    servers,
    workers,
    credentials,
    client,
    /** Runs a query, and repeats it while the database is unavailable. */
    query: <Row extends object>(statement: string) =>
      eventually(() =>
        observer.em
          .fork()
          .execute<Row[]>(statement)
          .catch(() => null),
      ),
    /** Creates a subscription to new content, whose receiver answers like this and is reached through `network`. */
    async subscribe(answer: (n: number) => Answer) {
      // A frozen worker sends claimed deliveries until its lease ends, and a stalled network delays them further.
      const graceMs = leaseMs(size) + size.stallMs[1] + 5_000;
      const receiver = cleanUp.use(await startCampaignReceiver({ certificate, answer, graceMs }));
      const network = cleanUp.use(await startProxy(receiver));
      const body = { url: withPort(receiver.url, network.port), events: ['content.created'] };
      const created = await client.ask('POST', '/api/admin/webhooks', { key: credentials.token, body });
      const { id, secret } = created.body as { id: string; secret: string };
      receiver.secrets.add(secret);
      return { id, receiver, network };
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

export type Field = Awaited<ReturnType<typeof startField>>;

export type Subscription = Awaited<ReturnType<Field['subscribe']>>;

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

const startServerSlot = (database: Database) =>
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

const startWorkerSlot = (database: Database, caFile: string, size: Size) =>
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

/** Time limit of a call before another server is tried, in milliseconds. */
const patienceMs = 8_000;

/** Maximum number of attempts per call, which is about half an hour of servers that do not answer. */
const tries = 500;

/** Creates a client for servers that may be killed at any time. */
function createFailoverClient(servers: () => readonly string[]) {
  let turn = 0;
  let repeated = 0;
  const nextServer = () => {
    const urls = servers();
    turn += 1;
    return urls[turn % urls.length] ?? '';
  };
  const once = (method: string, path: string, options: CallOptions) =>
    createCaller(nextServer())(method, path, { ...options, signal: AbortSignal.timeout(patienceMs) }).catch(
      () => null,
    );
  return {
    /** Returns the number of repeated attempts. */
    repeated: () => repeated,
    /** Sends a request once. Null if there was no answer. */
    once,
    /**
     * Sends a request until the answer is not a server error. All attempts have the same idempotency key, so the write
     * happens once. Throws after too many attempts.
     */
    async ask(method: string, path: string, options: CallOptions): Promise<HttpAnswer> {
      const headers = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
      for (let tried = 0; tried < tries; tried++) {
        const answer = await once(method, path, { ...options, headers });
        if (answer && answer.status < 500) return answer;
        repeated += 1;
        await delay(Math.min(2_000, 50 + 50 * tried));
      }
      throw new Error(`no answer to ${method} ${path} after ${tries} attempts`);
    },
  };
}
