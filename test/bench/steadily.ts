import { setTimeout as delay } from 'node:timers/promises';

/** Begins `work` so many times a second, whether earlier ones have ended or not; resolves when all have. */
export async function steadily(seconds: number, rate: number, work: (n: number) => Promise<void>) {
  const startedAt = performance.now();
  const begun: Promise<void>[] = [];
  for (let n = 0; n < seconds * rate; n++) {
    await delay(Math.max(0, startedAt + (n * 1_000) / rate - performance.now()));
    const one = work(n);
    // Told below, once all have begun.
    one.catch(() => {});
    begun.push(one);
  }
  await Promise.all(begun);
}
