import { Logger as GraphileLogger, makeWorkerUtils, type RunnerOptions, run } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { openJobPool } from '../../shared/db/jobs.ts';
import { schemasOf } from '../../shared/db/schema.ts';
import type { WorkerDeps } from '../deps.ts';
import { createTaskList, crontab } from '../tasks.ts';
import { keepRunning } from './keep-running.ts';

/** Jobs under way at once. They only wait for the next shared fan-out, so many cost little. */
const concurrency = 10;

/** Runs jobs until stopped. Rejects when it can't be started at first. */
export async function startJobs(deps: WorkerDeps, fanOutAll: () => Promise<void>) {
  const { logger } = deps;
  const { jobs: schema } = schemasOf(deps.databaseUrl);
  const pgPool = openJobPool(deps.databaseUrl, {
    // A commit may be lost with the power: a job that comes back only finds nothing left to do.
    settings: { synchronous_commit: 'off' },
    onBroken: (err) => logger.debug({ err }, 'job queue: database connection lost'),
  });
  const options: RunnerOptions = {
    ...runnerOptions(logger, pgPool),
    schema,
    taskList: createTaskList({
      ...deps,
      fanOutAll,
      cleanQueue: () => cleanQueue(logger, { pgPool, schema }),
    }),
  };
  const queue = await keepRunning(logger, () => run(options));
  return {
    async stop() {
      await queue.stop();
      await pgPool.end();
    },
  };
}

const runnerOptions = (logger: Logger, pgPool: pg.Pool): RunnerOptions => ({
  pgPool,
  logger: graphileLogger(logger),
  noHandleSignals: true,
  crontab,
  preset: {
    // Without a delay for failed jobs, one that can't be written down, as while the database is away, ends the process.
    worker: {
      concurrentJobs: concurrency,
      localQueue: { size: 100 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
});

/** Jobs that were lost stay in the queue for good: what they were for has long been done by the sweep. */
async function cleanQueue(logger: Logger, at: { pgPool: pg.Pool; schema: string }) {
  const queue = await makeWorkerUtils({ ...at, logger: graphileLogger(logger) });
  await queue.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] });
  await queue.release();
}

/** Graphile Worker's messages in the worker's own log; its news of every job only at debug level. */
const graphileLogger = (logger: Logger) =>
  new GraphileLogger(() => (level, message, { error: err, ...meta } = {}) => {
    const own = level === 'error' ? 'error' : level === 'warning' ? 'warn' : 'debug';
    logger[own]({ ...meta, ...(err !== undefined && { err }) }, message);
  });
