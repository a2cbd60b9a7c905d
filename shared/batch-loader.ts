import DataLoader from 'dataloader';

/**
 * Begins work when the next turn of the event loop is over: for all who come in this one or that one, and together with whatever
 * else is begun so in this turn, so that nobody waits for one answer of the database before another is asked for.
 */
export const afterNextTurn = (begin: () => void) => void setImmediate(() => setImmediate(begin));

/** Items of one call of the work at the most. */
const maxQueuedBatch = 1_000;

/** Most items that wait: each batch of them is a statement, so these are some that the database is behind with. */
const maxWaiting = 10_000;

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
export function createBatchQueue<T, R>(
  work: (items: T[]) => Promise<(item: T) => R>,
): (item: T) => Promise<R> {
  const waiting: { item: T; done: PromiseWithResolvers<R> }[] = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) {
      await new Promise<void>(afterNextTurn);
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
 * Answers together what is asked in the same turn of the event loop, or the next: `ask` gets the questions, at most `most` of them,
 * and its answers by question. One that has no answer gets null. Where `ask` fails, all who asked get its error. Nothing is
 * remembered: what is asked once a query has begun waits for the next.
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
  const loader = new DataLoader(loadAll, { maxBatchSize, batchScheduleFn: afterNextTurn });
  return (question) => loader.load(question);
}
