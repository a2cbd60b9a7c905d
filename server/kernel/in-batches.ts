import { setImmediate as turn } from 'node:timers/promises';

/** Items of one call of the work at the most. */
const mostTogether = 1_000;

/**
 * Hands items to `work` together: those that come in one turn of Node's loop, and those that come while it runs. What it
 * resolves with is asked for the answer to each, in the order they came; an error is that of all.
 */
export function inBatches<T, R>(work: (items: T[]) => Promise<(item: T) => R>): (item: T) => Promise<R> {
  const waiting: { item: T; done: PromiseWithResolvers<R> }[] = [];
  let running = false;
  const run = async () => {
    running = true;
    await turn();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostTogether);
      try {
        const answerTo = await work(batch.map(({ item }) => item));
        for (const { item, done } of batch) done.resolve(answerTo(item));
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    running = false;
  };
  return (item) => {
    const done = Promise.withResolvers<R>();
    waiting.push({ item, done });
    if (!running) void run();
    return done.promise;
  };
}
