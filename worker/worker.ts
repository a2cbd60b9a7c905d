import { Logger as GraphileLogger, run } from 'graphile-worker';
import type { Logger } from 'pino';
import { createDispatcher } from './delivery/dispatcher.ts';
import { fanOut } from './delivery/fan-out.ts';
import { sharedRun } from './delivery/shared-run.ts';
import { failExhausted, findDue, hasOverdueEvents } from './delivery/sweep.ts';
import type { WorkerDeps } from './deps.ts';
import { prune } from './prune.ts';

/** How often what is due is looked for; a retry is late by at most this, and what its round takes. */
const sweepMs = 500;

/** Jobs under way at once. They only wait for the next shared fan-out, so many cost little. */
const concurrency = 10;

/** Task at minute 17 of every hour. */
const crontab = '17 * * * * prune';

export interface RunningWorker {
  /** Ends within the time-out of an attempt; what was not delivered waits in the database. */
  stop(): Promise<void>;
  /** Settles when the worker has ended, rejects when it can't go on. */
  ended: Promise<void>;
}

/** Starts the worker: fan-out by jobs, delivery in rounds, and a sweep for what jobs and dead workers left behind. */
export async function startWorker(deps: WorkerDeps): Promise<RunningWorker> {
  const { database, logger } = deps;
  const dispatcher = createDispatcher(deps);
  const fanOutAll = sharedRun(async () => dispatcher.wake(await fanOut(deps)));
  const sweep = startSweep(logger, async () => {
    await failExhausted(database);
    if (await hasOverdueEvents(database)) await fanOutAll();
    dispatcher.wake(await findDue(database));
  });
  const runner = await run({
    connectionString: withoutWaitingForDisk(deps.databaseUrl),
    logger: graphileLogger(logger),
    noHandleSignals: true,
    crontab,
    taskList: { fan_out_event: fanOutAll, prune: () => prune(database) },
    preset: {
      worker: {
        concurrentJobs: concurrency,
        localQueue: { size: 100 },
        completeJobBatchDelay: 0,
      },
    },
  });
  return {
    ended: runner.promise,
    async stop() {
      await sweep.stop();
      await runner.stop();
      await dispatcher.stop();
    },
  };
}

/** Repeats `work`, with a pause between runs; a failed run is logged, and the next one tries again. */
function startSweep(logger: Logger, work: () => Promise<void>) {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let current = Promise.resolve();
  const once = () => {
    current = work()
      .catch((error) => logger.warn({ err: error }, 'a sweep failed and is tried again'))
      .then(() => {
        if (!stopped) timer = setTimeout(once, sweepMs);
      });
  };
  once();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}

/** Graphile Worker's messages in the worker's own log; its news of every job only at debug level. */
const graphileLogger = (logger: Logger) =>
  new GraphileLogger(() => (level, message, meta) => {
    const own = level === 'error' ? 'error' : level === 'warning' ? 'warn' : 'debug';
    logger[own]({ ...meta }, message);
  });

/** For connections whose commits may be lost with the power: a job that comes back only finds nothing left to do. */
function withoutWaitingForDisk(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const own = url.searchParams.get('options') ?? '';
  url.searchParams.set('options', `${own} -c synchronous_commit=off`.trim());
  return url.href;
}
