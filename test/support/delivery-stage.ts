import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { leaseMsOf } from '../../worker/deliveries/dispatcher.ts';
import { startApp, testSecretKey } from './app.ts';
import { startCountingReceiver } from './counting-receiver.ts';
import { eventually } from './eventually.ts';
import { startProxy } from './tcp-proxy.ts';
import { createCertificate } from './tls-receiver.ts';
import { startWorkerProcess } from './worker-process.ts';

/** Delivery in the database, with the title of its event's record. */
interface DeliveryRow {
  id: string;
  title: string;
  subscription_id: string;
  status: string;
  attempt_count: number;
}

/**
 * Time limit of an attempt, in milliseconds. It is longer than the test's process stalls, because receivers run in it.
 * It is short enough that a dead worker's attempts are soon taken over.
 */
const timeoutMs = 6_000;

export const leaseMs = leaseMsOf(timeoutMs);

/**
 * Starts a server, receivers, and workers as processes. The workers reach the database through a proxy that can fail.
 */
export async function startStage({ serverUrl }: { serverUrl?: string } = {}) {
  await using stack = new AsyncDisposableStack();
  const certificate = await createCertificate();
  const app = stack.use(
    await startApp({
      webhooks: { ca: certificate.cert, allowCidrs: [parseCidr('127.0.0.0/8')] },
      ...(serverUrl ? { serverUrl } : {}),
    }),
  );
  app.clock.catchUp();
  const proxy = stack.use(await startProxy({ port: Number(new URL(app.databaseUrl).port) }));
  const caFile = await keepFile(stack, certificate.cert);
  const token = await app.seed.ownerToken();
  const key = await app.seed.key();
  const query = <Row extends object>(sql: string) => app.deps.database.em.fork().execute<Row[]>(sql);
  const deliveries = () =>
    query<DeliveryRow>(`
      select d.id, e.body::json -> 'data' ->> 'title' as title, d.subscription_id, d.status, d.attempt_count
      from webhook_deliveries d join events e on e.site_id = d.site_id and e.id = d.event_id`);
  const cleanUp = stack.move();
  return {
    app,
    proxy,
    deliveries,
    async startReceiver() {
      return cleanUp.use(await startCountingReceiver(certificate));
    },
    async startWorker(environment: Record<string, string> = {}) {
      const worker = await startWorkerProcess({
        DATABASE_URL: withPort(app.databaseUrl, proxy.port),
        SECRET_KEY: testSecretKey,
        NODE_EXTRA_CA_CERTS: caFile,
        WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
        WEBHOOK_TIMEOUT_MS: String(timeoutMs),
        WEBHOOK_RETRY_SECONDS: '0.2,0.4,0.8,1.6,3.2',
        ...environment,
      });
      return cleanUp.use(worker);
    },
    async subscribe(url: string, events = ['content.created']) {
      const { status, body } = await app.post('/api/admin/webhooks', { key: token, body: { url, events } });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return (body as { id: string }).id;
    },
    /** Returns the subscription as its owner sees it. */
    async subscription(id: string) {
      const { data } = (await app.get('/api/admin/webhooks', { key: token })).body as {
        data: { id: string }[];
      };
      return data.find((subscription) => subscription.id === id);
    },
    /** Causes a `content.created` event. The status shows whether it was committed, unless it is 500. */
    write: async (title: string) => (await app.post('/api/v1/posts', { key, body: { title } })).status,
    /** Creates a trigger that rolls back writes whose title begins with `doomed`, at their commit. */
    doomWrites: () =>
      query(`
        create function doom() returns trigger language plpgsql as
          $$ begin if new.title like 'doomed%' then raise 'doomed'; end if; return null; end $$;
        create constraint trigger doom after insert on posts deferrable initially deferred for each row execute function doom()`),
    async committedTitles() {
      const rows = await query<{ title: string }>(
        `select body::json -> 'data' ->> 'title' as title from events`,
      );
      return rows.map(({ title }) => title).toSorted();
    },
    /** Returns the deliveries with a running attempt, including those of dead workers. */
    async underWay() {
      const rows = await query<{ id: string }>(
        'select id from webhook_deliveries where lease_until is not null',
      );
      return rows.map(({ id }) => id);
    },
    /** Resolves with all deliveries when nothing is pending. */
    settled: () =>
      eventually(async () => {
        const open = await query(`
          select id from webhook_deliveries where due_at is not null
          union all select id from events where awaits_fan_out limit 1`);
        return open.length === 0 && deliveries();
      }),
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

export type Stage = Awaited<ReturnType<typeof startStage>>;

/** Writes a file that is removed with the stack, and returns its path. */
export async function keepFile(stack: AsyncDisposableStack, text: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'creator-content-ca-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'ca.pem');
  await writeFile(file, text);
  return file;
}

export function withPort(url: string, port: number): string {
  const address = new URL(url);
  address.port = String(port);
  return address.href;
}
