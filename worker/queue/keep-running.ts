import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Pause before the job queue is restarted, in milliseconds. */
const restartMs = 1_000;

/** Running job queue. `promise` settles when it ends, by itself or because it was stopped. */
interface Runner {
  promise: Promise<void>;
  /** Stops the queue. Rejects if it has already ended by itself. */
  stop(): Promise<void>;
}

/**
 * Runs a job queue until `stop` of the result is called. Graphile Worker ends after some failures, for example if the
 * database is unavailable when it returns a job. It is then restarted. Rejects if the first start fails.
 */
export async function keepRunning(logger: Pick<Logger, 'warn'>, start: () => Promise<Runner>) {
  const stopping = new AbortController();
  let runner: Runner | null = await start();
  const supervised = supervise();

  async function supervise() {
    while (!stopping.signal.aborted) {
      await runner?.promise.catch((err: unknown) => logger.warn({ err }, 'job queue failed; restarting'));
      await delay(restartMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      try {
        runner = await start();
        logger.warn('job queue restarted');
      } catch (err) {
        runner = null;
        logger.warn({ err }, 'job queue failed to start; retrying');
      }
    }
    // Stopped during a restart: stop the runner that has just started.
    await stopRunner();
  }

  const stopRunner = async () => runner?.stop().catch(() => {});

  return {
    async stop() {
      stopping.abort();
      await stopRunner();
      await supervised;
    },
  };
}
