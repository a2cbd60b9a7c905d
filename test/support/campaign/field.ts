import { openDatabase } from '../../../shared/db/config.ts';
import { startApp } from '../app.ts';
import { eventually } from '../eventually.ts';
import { startOwnDatabase } from '../own-database.ts';
import { keepFile, withPort } from '../stage.ts';
import { startProxy } from '../tcp-proxy.ts';
import { createCertificate } from '../tls-receiver.ts';
import { createAsker } from './asker.ts';
import { type Answer, startCampaignReceiver } from './receiver.ts';
import { leaseMs, type Size } from './size.ts';
import { startServerSlot, startWorkerSlot } from './slot.ts';

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
  const asker = createAsker(() => servers.map((slot) => slot.process.baseUrl));
  const credentials = { token: await app.seed.ownerToken(), key: await app.seed.key() };
  const cleanUp = stack.move();

  return {
    postgres,
    servers,
    workers,
    credentials,
    asker,
    /** Runs a query, and repeats it while the database is unavailable. */
    query: <Row extends object>(statement: string) =>
      eventually(
        () =>
          observer.em
            .fork()
            .execute<Row[]>(statement)
            .catch(() => null),
        120_000,
      ),
    /** Creates a subscription to new content, whose receiver answers like this and is reached through `network`. */
    async subscribe(answer: (n: number) => Answer) {
      // A frozen worker sends claimed deliveries until its lease ends, and a stalled network delays them further.
      const graceMs = leaseMs(size) + size.stallMs[1] + 5_000;
      const receiver = cleanUp.use(await startCampaignReceiver({ certificate, answer, graceMs }));
      const network = cleanUp.use(await startProxy(receiver));
      const body = { url: withPort(receiver.url, network.port), events: ['content.created'] };
      const created = await asker.ask('POST', '/api/admin/webhooks', { key: credentials.token, body });
      const { id, secret } = created.body as { id: string; secret: string };
      receiver.secrets.add(secret);
      return { id, receiver, network };
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

export type Field = Awaited<ReturnType<typeof startField>>;

export type Subscription = Awaited<ReturnType<Field['subscribe']>>;
