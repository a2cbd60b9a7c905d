import DataLoader from 'dataloader';

/**
 * Calls `begin` after the next turn of the event loop. Callers of this turn and the next share the work, and all work that starts
 * in this turn is sent to the database together.
 */
export const runAfterTick = (begin: () => void) => void setImmediate(() => setImmediate(begin));

/** Maximum number of items in one call of `work`. */
const maxQueuedBatch = 1_000;

/** Maximum number of waiting items; each batch of them is one statement. */
const maxWaiting = 10_000;

/** Error of an item that was refused because too many items are waiting. */
export class TooManyWaitingError extends Error {
  override name = 'TooManyWaitingError';
}

/**
 * Creates a queue with one running batch at a time. Each batch contains the items that arrived while the previous one ran
 * and in two further turns of the event loop. `work` resolves with a function that returns the result of each item; an
 * error rejects the whole batch. The queue rejects an item with `TooManyWaitingError` if 10,000 items are already waiting.
 */
export function createBatchQueue<T, R>(
  work: (items: T[]) => Promise<(item: T) => R>,
): (item: T) => Promise<R> {
  const waiting: { item: T; done: PromiseWithResolvers<R> }[] = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) {
      await new Promise<void>(runAfterTick);
      const batch = waiting.splice(0, maxQueuedBatch);
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
    if (waiting.length >= maxWaiting)
      throw new TooManyWaitingError(`${maxWaiting} calls are already waiting`);
    const done = Promise.withResolvers<R>();
    waiting.push({ item, done });
    if (!running) void run();
    return done.promise;
  };
}

/**
 * Creates a loader that answers the questions of one turn of the event loop, and of the next, with one call of `load`. Each
 * call has at most `maxBatchSize` questions. A question without an answer gets null. An error of `load` rejects all
 * questions of the batch.
 *
 * Nothing is cached: a question that arrives after `load` has started waits for the next call.
 */
export function createBatchLoader<Q, A>(
  load: (questions: readonly Q[]) => Promise<ReadonlyMap<Q, A>>,
  maxBatchSize: number,
): (question: Q) => Promise<A | null> {
  const loadAll = async (questions: readonly Q[]) => {
    loader.clearAll();
    const answers = await load(questions);
    return questions.map((question) => answers.get(question) ?? null);
  };
  const loader = new DataLoader(loadAll, { maxBatchSize, batchScheduleFn: runAfterTick });
  return (question) => loader.load(question);
}
