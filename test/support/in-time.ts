/**
 * Maximum time for something to end, in milliseconds. It is much longer than needed on a busy machine, but shorter than
 * the time limit of a test.
 */
const longestEndMs = 60_000;

/**
 * Waits for something to end, but not without limit. A test that failed halfway leaves locks, open transactions and
 * frozen processes that may never end. Without the limit, the test would report a timeout instead of its failure.
 */
export async function inTime<T>(what: string, ending: PromiseLike<T>, withinMs = longestEndMs): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${what} did not end within ${withinMs} ms`)),
    withinMs,
  ).unref();
  return await Promise.race([ending, late.promise]).finally(() => clearTimeout(timer));
}
