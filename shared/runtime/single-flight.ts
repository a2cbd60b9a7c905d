import { afterNextTurn } from './batch-loader.ts';

/**
 * Lets callers who come while `work` runs share its next run: one that starts after all of them came, so that each sees
 * what it came for.
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

/** A run that fails after longer than this fails those who wait for the next one, too: that would take as long. */
const patienceMs = 1_000;

interface Flight<Q, T> {
  question: Q;
  /** For those who wait for the next run; null while nobody does. */
  next: PromiseWithResolvers<T> | null;
}

/**
 * The same per key, which says all that `question` does: callers share a run only with those who ask the same. A run starts
 * when the next turn of the event loop is over, so that all whom this one and that one bring share it.
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
  const begin = (key: string, flight: Flight<Q, T>) => afterNextTurn(() => run(key, flight));
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

/** What `make` gives, made when it is first asked for and kept; a failure is told and forgotten, so that it can be asked again. */
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
