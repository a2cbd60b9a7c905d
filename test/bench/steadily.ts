import { setTimeout as delay } from 'node:timers/promises';

/** Starts `work` at a steady rate per second, whether earlier calls have ended or not. Resolves when all have. */
export async function steadily(seconds: number, rate: number, work: (n: number) => Promise<void>) {
  const startedAt = performance.now();
  const begun: Promise<void>[] = [];
  for (let n = 0; n < seconds * rate; n++) {
    await delay(Math.max(0, startedAt + (n * 1_000) / rate - performance.now()));
    const one = work(n);
    // Errors surface below, after all calls have started.
    one.catch(() => {});
    begun.push(one);
  }
  await Promise.all(begun);
}
