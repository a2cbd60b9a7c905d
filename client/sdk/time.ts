/** What repeating needs of time and chance; tests bring their own. */
export interface Time {
  /** Milliseconds since some moment; never runs backwards. */
  now(): number;
  /** From 0 up to 1. */
  random(): number;
  /** Rings once, after that many milliseconds; returns what calls it off. */
  setAlarm(ms: number, ring: () => void): () => void;
}

export const realTime: Time = {
  now: () => performance.now(),
  random: Math.random,
  setAlarm(ms, ring) {
    const timer = setTimeout(ring, Math.min(ms, longestTimer));
    return () => clearTimeout(timer);
  },
};

/** Timers take no more milliseconds than fit in 31 bits, and ring at once for more. */
const longestTimer = 2 ** 31 - 1;

/** Resolves after that many milliseconds; rejects with the signal's reason. */
export const wait = (time: Time, ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const callOff = time.setAlarm(ms, () => {
      forget();
      resolve();
    });
    const forget = onAbort(signal, () => {
      callOff();
      reject(signal.reason);
    });
  });

/** Runs `react` when the signal aborts, at once when it already has. Returns what takes that back. */
export function onAbort(signal: AbortSignal, react: () => void): () => void {
  if (signal.aborted) react();
  else signal.addEventListener('abort', react, { once: true });
  return () => signal.removeEventListener('abort', react);
}
