import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for the result of another process or task: the first value of `probe` that is neither null nor false. An
 * expensive probe is called less often, because it slows down what it waits for. Throws after `withinMs` milliseconds.
 */
export async function eventually<T>(
  probe: () => T | null | false | Promise<T | null | false>,
  withinMs = 60_000,
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
