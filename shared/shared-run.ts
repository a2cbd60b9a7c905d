/**
 * Lets callers who come while `work` runs share the next run: one that starts after all of them came, so each sees
 * what it came for.
 */
export function sharedRun<T>(work: () => Promise<T>): () => Promise<T> {
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
export function sharedRuns<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const runs = new Map<string, { run: () => Promise<T>; callers: number }>();
  return async (key) => {
    const shared = runs.get(key) ?? { run: sharedRun(() => work(key)), callers: 0 };
    runs.set(key, shared);
    shared.callers += 1;
    try {
      return await shared.run();
    } finally {
      shared.callers -= 1;
      if (shared.callers === 0) runs.delete(key);
    }
  };
}
