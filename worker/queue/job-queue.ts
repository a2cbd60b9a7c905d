import { Logger as GraphileLogger, makeWorkerUtils, type RunnerOptions, run } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { openJobPool } from '../../shared/db/jobs.ts';
import { schemasOf } from '../../shared/db/schema.ts';
import type { WorkerDeps } from '../deps.ts';
import { createTaskList, crontab } from '../tasks.ts';
import { keepRunning } from './keep-running.ts';

/** Maximum number of concurrent jobs. Most are fan-outs, which wait for a shared one, so many cost little. */
const concurrency = 10;

/** Runs jobs until `stop` of the result is called. Rejects if the queue cannot be started. */
export async function startJobs(deps: WorkerDeps, fanOutAll: () => Promise<void>) {
  const { logger } = deps;
  const { jobs: schema } = schemasOf(deps.databaseUrl);
  const pgPool = openJobPool(deps.databaseUrl, {
    // In a power failure, the commit that ends a job may be lost. A job that runs again finds nothing left to do, but may
    // send its email again.
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
    // Batch the results of jobs. Otherwise a failure that cannot be stored, for example during a database outage, ends
    // the process.
    worker: {
      concurrentJobs: concurrency,
      localQueue: { size: 100 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
});

/**
 * Deletes jobs that failed permanently. The sweep repeats a lost fan-out, and the next scheduled run repeats other
 * maintenance. Emails whose attempts all failed are not sent. Rejects if the database is unreachable.
 */
async function cleanQueue(logger: Logger, at: { pgPool: pg.Pool; schema: string }) {
  const queue = await makeWorkerUtils({ ...at, logger: graphileLogger(logger) });
  await queue.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] });
  await queue.release();
}

/** Forwards Graphile Worker's messages to the worker's log. Messages about individual jobs have level debug. */
const graphileLogger = (logger: Logger) =>
  new GraphileLogger(() => (level, message, { error: err, ...meta } = {}) => {
    const own = level === 'error' ? 'error' : level === 'warning' ? 'warn' : 'debug';
    logger[own]({ ...meta, ...(err !== undefined && { err }) }, message);
  });
