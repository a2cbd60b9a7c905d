/** Clock, timers and randomness for retries; tests replace them. */
export interface Time {
  /** Milliseconds since an arbitrary time; never runs backwards. */
  now(): number;
  /** Random number from 0 up to 1. */
  random(): number;
  /** Calls `ring` once after `ms` milliseconds. Returns a function that cancels it. */
  setAlarm(ms: number, ring: () => void): () => void;
}

export const realTime: Time = {
  now: () => performance.now(),
  random: Math.random,
  setAlarm(ms, ring) {
    const timer = setTimeout(ring, Math.min(ms, maxTimerMs));
    return () => clearTimeout(timer);
  },
};

/** Maximum delay of a timer, 31 bits of milliseconds; with a longer one it would fire immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Resolves after `ms` milliseconds. Rejects with the signal's reason if it aborts before. */
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

/** Runs `react` when the signal aborts, or immediately if it already has. Returns a function that cancels it. */
export function onAbort(signal: AbortSignal, react: () => void): () => void {
  if (signal.aborted) react();
  else signal.addEventListener('abort', react, { once: true });
  return () => signal.removeEventListener('abort', react);
}
