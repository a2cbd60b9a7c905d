import { setTimeout as delay } from 'node:timers/promises';
import { timeLimits } from './time-limits.ts';

/**
 * Waits for the result of another process or task: the first value of `probe` that is neither null nor false. An
 * expensive probe is called less often, because it slows down what it waits for. Throws after `withinMs` milliseconds.
 */
export async function eventually<T>(
  probe: () => T | null | false | Promise<T | null | false>,
  withinMs: number = timeLimits.wait,
): Promise<T> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const askedAt = performance.now();
    const value = await probe();
    if (value !== null && value !== false) return value;
    const now = performance.now();
    if (now > endsAt) throw new Error(`timed out after ${withinMs} ms: ${probe}`);
    await delay(Math.min(100, Math.max(10, 10 * (now - askedAt))));
  }
}

/**
 * Waits for something to end, but not without limit. A test that failed halfway leaves locks, open transactions and
 * frozen processes that may never end. Without the limit, the test would report a timeout instead of its failure.
 */
export async function inTime<T>(what: string, ending: PromiseLike<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${what} did not end within ${timeLimits.wait} ms`)),
    timeLimits.wait,
  ).unref();
  return await Promise.race([ending, late.promise]).finally(() => clearTimeout(timer));
}
