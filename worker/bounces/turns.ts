import { setTimeout as delay } from 'node:timers/promises';

/** Times as long as a work took. */
const rest = 4;

/**
 * Does one work at a time, and none for several times as long as each took: what strangers send takes no more than a fifth of
 * this process's time, however much comes.
 */
export function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    let tookMs = 0;
    const turn = last.then(async () => {
      const startedAt = performance.now();
      try {
        return await work();
      } finally {
        tookMs = performance.now() - startedAt;
      }
    });
    const rested = () => delay(tookMs * rest);
    last = turn.then(rested, rested);
    return turn;
  };
}
