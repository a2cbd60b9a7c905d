import { runAfterTick } from './batch-loader.ts';

/**
 * Returns a function that shares runs of `work` among concurrent callers.
 *
 * A call while nothing runs starts a run. All calls during a run share the next one, which starts when the current run
 * ends. It starts after all of them called, so each sees the data that existed at its call. Errors reach the callers of
 * that run only.
 */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  const begin = () => {
    next = null;
    current = work().finally(() => {
      current = null;
    });
    return current;
  };
  return () => {
    if (!current) return begin();
    next ??= current.then(begin, begin);
    return next;
  };
}

/**
 * Duration of a failing run above which the callers of the next run fail too, in milliseconds. The next run would
 * probably take as long.
 */
const patienceMs = 1_000;

interface Flight<Q, T> {
  question: Q;
  /** Result of the next run; null while no caller waits for it. */
  next: PromiseWithResolvers<T> | null;
}

/**
 * Returns a function that shares runs of `work` among concurrent callers with the same key. Callers with the same key
 * must ask the same `question`.
 *
 * A run starts two turns of the event loop after its first call, so that calls in between share it. Calls during a run
 * share the next one. A key is forgotten when a run ends and no caller waits.
 */
export function singleFlightByKey<Q, T>(
  work: (question: Q) => Promise<T>,
): (key: string, question: Q) => Promise<T> {
  const flights = new Map<string, Flight<Q, T>>();
  const run = async (key: string, flight: Flight<Q, T>) => {
    const waiting = flight.next;
    flight.next = null;
    const began = performance.now();
    try {
      waiting?.resolve(await work(flight.question));
    } catch (error) {
      waiting?.reject(error);
      if (performance.now() - began > patienceMs) failWaiting(flight, error);
    }
    if (flight.next) begin(key, flight);
    else flights.delete(key);
  };
  const begin = (key: string, flight: Flight<Q, T>) => runAfterTick(() => run(key, flight));
  return (key, question) => {
    const known = flights.get(key);
    const flight = known ?? { question, next: null };
    if (!known) {
      flights.set(key, flight);
      begin(key, flight);
    }
    flight.next ??= Promise.withResolvers<T>();
    return flight.next.promise;
  };
}

function failWaiting<Q, T>(flight: Flight<Q, T>, error: unknown) {
  flight.next?.reject(error);
  flight.next = null;
}

/**
 * Returns a function that calls `make` on its first call and then returns the same result. A failure rejects the
 * current callers, and the next call tries again.
 */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
