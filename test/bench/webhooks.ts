import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { StoreDeps } from '../../server/api/deps.ts';
import { recordEvent } from '../../shared/content/write.ts';
import { memorySettings } from '../support/process.ts';
import type { Bench } from './bench.ts';
import { nextMessage, startProcess } from './processes.ts';
import { startService } from './service.ts';
import { createSubscription, openOperator, secretKey, webhookSecret } from './site.ts';

/** Time for all events to arrive before a part fails, in milliseconds. */
export const timeoutMs = 60_000;

const Addresses = z.object({ tls: z.string(), plain: z.string() });
const Counts = z.object({ received: z.number(), forged: z.number() });
const Sent = z.object({ perSecond: z.number() });
const Arrivals = z.object({ arrivals: z.array(z.tuple([z.string(), z.string(), z.number()])) });

/** Request that a receiver got: its delivery, record and time (Unix time in ms). */
export interface Arrival {
  delivery: string;
  record: string;
  atMs: number;
}

/** Creates a database with a worker and receivers, each in its own process. Ends with `await using`. */
export async function startWebhooks(bench: Bench, name: string, retrySeconds = '60,300,1800,7200,43200') {
  const stack = new AsyncDisposableStack();
  const databaseUrl = await bench.createDatabase(name);
  const operator = stack.use(await openOperator(databaseUrl));
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-receivers-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const caFile = path.join(folder, 'ca.pem');
  const { child } = stack.use(
    startProcess(new URL('./processes/receivers.ts', import.meta.url), {
      CA_FILE: caFile,
      SECRET: webhookSecret,
    }),
  );
  const receivers = Addresses.parse(await nextMessage(child));
  /** Settings of a process that sends to the receivers. */
  const settings = {
    SECRET_KEY: secretKey,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: caFile,
  };
  const request = (question: 'count' | 'take') => {
    child.send(question);
    return nextMessage(child);
  };
  return {
    operator,
    /** Starts a server that sends test deliveries to the receivers. */
    startServer: async () => stack.use(await startService(databaseUrl, settings)),
    /** Subscribes the two receivers, alternately, to a site's new content at addresses below `suffix`. */
    async subscribe(siteId: string, subscriptions: number, suffix = 'hook') {
      for (let n = 0; n < subscriptions; n++) {
        const base = n % 2 === 0 ? receivers.tls : receivers.plain;
        await createSubscription(operator, siteId, `${base}/${suffix}/${n}`);
      }
    },
    startWorker: () =>
      stack.use(
        startProcess(new URL('../../worker/main.ts', import.meta.url), {
          ...memorySettings,
          ...settings,
          DATABASE_URL: databaseUrl,
          WEBHOOK_RETRY_SECONDS: retrySeconds,
        }),
      ),
    /** Returns the deliveries per second of a process that only signs and sends them. */
    async sendBare(seconds: number, inFlight: number): Promise<number> {
      await using sender = startProcess(new URL('./processes/bare-sender.ts', import.meta.url), {
        NODE_EXTRA_CA_CERTS: caFile,
        RECEIVERS: `${receivers.tls},${receivers.plain}`,
        SECRET: webhookSecret,
        SECONDS: String(seconds),
        IN_FLIGHT: String(inFlight),
      });
      return Sent.parse(await nextMessage(sender.child)).perSecond;
    },
    /** Returns the number of received requests. Throws if a signature was wrong. */
    async received(): Promise<number> {
      const { received, forged } = Counts.parse(await request('count'));
      if (forged > 0) throw new Error(`${forged} deliveries were not signed right`);
      return received;
    },
    async arrivals(): Promise<Arrival[]> {
      const { arrivals } = Arrivals.parse(await request('take'));
      return arrivals.map(([delivery, record, atMs]) => ({ delivery, record, atMs }));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Records a `content.created` event of a record with this id, in its own transaction. */
export async function fire(operator: StoreDeps, siteId: string, id: string) {
  const data = { id, collection: 'posts', title: 'Type-safe APIs', slug: 'type-safe-apis' } as const;
  await operator.database.em
    .fork()
    .transactional((em) => recordEvent(em, operator, { siteId, name: 'content.created', data }));
}
