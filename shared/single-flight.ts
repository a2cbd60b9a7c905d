/**
 * Lets callers who come while `work` runs share its next run: one that starts after all of them came, so that each sees
 * what it came for. `onIdle` is called when a run is over and nobody waits for another.
 */
export function singleFlight<T>(work: () => Promise<T>, onIdle: () => void = () => {}): () => Promise<T> {
  let current: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  const begin = () => {
    next = null;
    current = work().finally(() => {
      current = null;
      if (!next) onIdle();
    });
    return current;
  };
  return () => {
    if (!current) return begin();
    next ??= current.then(begin, begin);
    return next;
  };
}

/** The same per key, which says all that `question` does: callers share a run only with those who ask the same. */
export function singleFlightByKey<Q, T>(
  work: (question: Q) => Promise<T>,
): (key: string, question: Q) => Promise<T> {
  const flights = new Map<string, () => Promise<T>>();
  return (key, question) => {
    const known = flights.get(key);
    if (known) return known();
    const run = singleFlight(
      () => work(question),
      () => flights.delete(key),
    );
    flights.set(key, run);
    return run();
  };
}
