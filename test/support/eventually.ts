import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for what another process or task brings about: the first value of `probe` that is neither null nor false. What is dear
 * to ask for is asked for less often, as it takes from the machine what is waited for.
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
    if (now > endsAt) throw new Error(`nothing came within ${withinMs} ms: ${probe}`);
    await delay(Math.min(100, Math.max(10, 10 * (now - askedAt))));
  }
}
