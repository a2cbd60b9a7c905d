/** Much longer than anything takes to end on a busy machine, but shorter than a test may take. */
const longestEndMs = 60_000;

/**
 * Waits for something to end, but not for ever. A test that failed halfway leaves locks, open transactions and frozen processes
 * behind, whose end may never come: waiting for it would tell of a time-out in the place of the failure.
 */
export async function inTime<T>(what: string, ending: PromiseLike<T>, withinMs = longestEndMs): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${what} did not end within ${withinMs} ms`)),
    withinMs,
  ).unref();
  return await Promise.race([ending, late.promise]).finally(() => clearTimeout(timer));
}
