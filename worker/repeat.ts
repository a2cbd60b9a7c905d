import type { Logger } from 'pino';

/** Pause after a run that failed, such as while the database restarts. */
const failedMs = 250;

/**
 * Repeats `work`, which says how many milliseconds to pause before its next run, or null to wait until it is woken; a failed
 * run is logged as `failure`, and the next one tries again. Ends when the run under way has.
 */
export function startRepeating(logger: Logger, failure: string, work: () => Promise<number | null>) {
  let state: 'running' | 'woken' | 'pausing' | 'waiting' | 'stopped' = 'waiting';
  let timer: NodeJS.Timeout | undefined;
  let current = Promise.resolve();
  const once = () => {
    state = 'running';
    current = work()
      .catch((error) => {
        logger.warn({ err: error }, failure);
        return failedMs;
      })
      .then((pauseMs) => {
        if (state === 'stopped') return;
        const wasWoken = state === 'woken';
        state = 'waiting';
        if (pauseMs === null) return wasWoken ? once() : undefined;
        state = 'pausing';
        timer = setTimeout(once, pauseMs);
      });
  };
  once();
  return {
    /** Ends a wait at once; a pause lasts as long as was said. */
    wake() {
      if (state === 'waiting') once();
      else if (state === 'running') state = 'woken';
    },
    async stop() {
      state = 'stopped';
      clearTimeout(timer);
      await current;
    },
  };
}
