import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Pause before the job queue is started anew. */
const restartMs = 1_000;

/** What runs jobs: `promise` ends when it does, by itself or because it was stopped. */
interface Runner {
  promise: Promise<void>;
  /** Rejects when it has ended by itself. */
  stop(): Promise<void>;
}

/**
 * Runs a job queue until stopped. Graphile Worker gives up after some failures, such as a database that is away while it
 * gives a job back; it is then started anew. Rejects when it can't be started at first.
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
    // Told to stop while one was being started: that one is stopped here.
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
