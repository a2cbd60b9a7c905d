import type { Logger } from 'pino';

/** Pause after a run that failed, such as while the database restarts. */
const failedMs = 250;

/**
 * Repeats `work`, which says how many milliseconds to pause before its next run; a failed run is logged as `failure`,
 * and the next one tries again. Ends when the run under way has.
 */
export function startRepeating(logger: Logger, failure: string, work: () => Promise<number>) {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let current = Promise.resolve();
  const once = () => {
    current = work()
      .catch((error) => {
        logger.warn({ err: error }, failure);
        return failedMs;
      })
      .then((pauseMs) => {
        if (!stopped) timer = setTimeout(once, pauseMs);
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
