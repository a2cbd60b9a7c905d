import { setTimeout as delay } from 'node:timers/promises';

/** Waits for what another process or task brings about: the first value of `probe` that is neither null nor false. */
export async function eventually<T>(
  probe: () => T | null | false | Promise<T | null | false>,
  withinMs = 60_000,
): Promise<T> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value !== null && value !== false) return value;
    if (performance.now() > endsAt) throw new Error(`nothing came within ${withinMs} ms: ${probe}`);
    await delay(10);
  }
}
