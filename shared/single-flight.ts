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

/** The same per key: callers share a run only with those who ask for the same. */
export function singleFlightByKey<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const flights = new Map<string, { run: () => Promise<T>; callers: number }>();
  return async (key) => {
    const flight = flights.get(key) ?? { run: singleFlight(() => work(key)), callers: 0 };
    flights.set(key, flight);
    flight.callers += 1;
    try {
      return await flight.run();
    } finally {
      flight.callers -= 1;
      if (flight.callers === 0) flights.delete(key);
    }
  };
}
