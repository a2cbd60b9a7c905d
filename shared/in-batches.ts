import { afterNextTurn } from './next-turn.ts';

/** Items of one call of the work at the most. */
const mostTogether = 1_000;

/** Most items that wait: each batch of them is a statement, so these are some that the database is behind with. */
const mostWaiting = 10_000;

/** What was handed in was not begun: too much waits before it. */
export class TooManyWaitingError extends Error {
  override name = 'TooManyWaitingError';
}

/**
 * Hands items to `work` together: those that come while it runs, and in the two turns of Node's loop behind that. What it
 * resolves with is asked for the answer to each, in the order they came; an error is that of all.
 *
 * @throws TooManyWaitingError, the promise does, for an item that comes while 10,000 wait
 */
export function inBatches<T, R>(work: (items: T[]) => Promise<(item: T) => R>): (item: T) => Promise<R> {
  const waiting: { item: T; done: PromiseWithResolvers<R> }[] = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) {
      await new Promise<void>(afterNextTurn);
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
  return async (item) => {
    if (waiting.length >= mostWaiting)
      throw new TooManyWaitingError(`${mostWaiting} calls are already waiting`);
    const done = Promise.withResolvers<R>();
    waiting.push({ item, done });
    if (!running) void run();
    return done.promise;
  };
}
