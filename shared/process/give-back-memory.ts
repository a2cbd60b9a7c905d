import { setFlagsFromString } from 'node:v8';

const megabyte = 1024 * 1024;

/** Below it a process holds as little as it may. */
const leastBytes = 220 * megabyte;

/** A process that has given back begins again when it has grown by a tenth of what was left, or of the least. */
const growth = 1.1;

/** V8 cleans up when it next marks the heap, at the latest eight seconds after it did last. What is held after that is needed. */
const longestMs = 15_000;

const checkMs = 500;

/** When a process gives back memory. */
export interface Watch {
  /** It begins when it holds more bytes. */
  bound: number;
  /** It ends at this moment at the latest (ms of `performance.now`); null while it is not giving back. */
  until: number | null;
}

export const unwatched: Watch = { bound: leastBytes, until: null };

/** What follows from what the process holds at `now`. */
export function watchNext({ bound, until }: Watch, held: number, now: number): Watch {
  const next = Math.max(leastBytes, held * growth);
  if (until === null)
    return held > bound ? { bound, until: now + longestMs } : { bound: Math.min(bound, next), until };
  return now < until && held * growth > leastBytes ? { bound, until } : { bound: next, until: null };
}

/**
 * Has V8 give back what it took for a moment. It keeps the pages that it has emptied, up to the most it ever needed at once,
 * until memory is said to matter more than speed: then it cleans up while it is busy, too. All the time that would cost a
 * fifth of all speed and more, so it is said for seconds only, when the process holds much and has grown since. Who starts
 * it with `--optimize-for-size` or its opposite has decided that already.
 */
export function giveBackMemory(): void {
  if (process.execArgv.some((flag) => /optimize[-_]for[-_]size/.test(flag))) return;
  let watch = unwatched;
  const check = () => {
    const held = heldBytes();
    if (held === null) return;
    const next = watchNext(watch, held, performance.now());
    if ((next.until === null) !== (watch.until === null))
      setFlagsFromString(next.until === null ? '--no-optimize-for-size' : '--optimize-for-size');
    watch = next;
  };
  setInterval(check, checkMs).unref();
}

/** Null when it can't be read, which takes a file descriptor: a process that has none left lives on. */
function heldBytes(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    return null;
  }
}
