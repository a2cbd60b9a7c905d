import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { openDatabase } from '../../shared/db/config.ts';
import type { WorkerDeps } from '../../worker/deps.ts';
import { startWorker } from '../../worker/worker.ts';
import type { TestApp } from './app.ts';
import { inTime } from './eventually.ts';

/** Starts a worker over the database of `app`, with its webhook settings. Dispose of it before the app. */
export async function startTestWorker(app: TestApp, options: Partial<WorkerDeps> = {}) {
  const url = app.databaseUrl;
  const database = await openDatabase({ url, poolSize: 4, applicationName: 'test-worker', byIndex: true });
  const worker = await startWorker({
    database,
    databaseUrl: app.databaseUrl,
    media: app.deps.media,
    // Rows have times of the app's clock, so they must not expire by the machine's clock.
    retentionCutoff: async () => app.clock.now(),
    clock: app.clock,
    stripeApiBase: app.deps.config.stripeApiBase,
    randomBytes,
    logger: pino({ level: 'warn' }),
    secrets: app.deps.secrets,
    sender: app.deps.webhooks.sender,
    mail: { send: async () => {} },
    mailings: null,
    publicUrl: new URL('http://localhost:3000'),
    countsTest: false,
    retrySeconds: [60, 300, 1800, 7200, 43200],
    // Time limit of an attempt, and so of its lease: longer than any app of the tests allows.
    timeoutMs: 60_000,
    ...options,
  });
  return {
    async [Symbol.asyncDispose]() {
      await inTime('a test worker', worker.stop());
      await inTime("a test worker's database", database.close());
    },
  };
}
