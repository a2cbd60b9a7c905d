import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const megabyte = 1024 * 1024;

/** When something is done about what a process holds. */
interface Bounds {
  /** Below it a process holds as little as it may. */
  leastBytes: number;
  /** What is still held after so long is needed. */
  longestMs: number;
}

/** V8 cleans up when it next marks the heap, at the latest eight seconds after it did last. */
export const sparing: Bounds = { leastBytes: 220 * megabyte, longestMs: 15_000 };

/** A heap that is marked whole, at once: it takes as long as a dear request, and half of what is held so late is garbage. */
const collecting: Bounds = { leastBytes: 300 * megabyte, longestMs: 2_000 };

/** A process that has given back begins again when it has grown by a tenth of what was left, or of the least. */
const growth = 1.1;

const checkMs = 500;

/** When a process gives back memory. */
export interface Watch {
  /** It begins when it holds more bytes. */
  bound: number;
  /** It ends at this moment at the latest (ms of `performance.now`); null while it is not giving back. */
  until: number | null;
}

export const unwatched = ({ leastBytes }: Bounds): Watch => ({ bound: leastBytes, until: null });

/** What follows from what the process holds at `now`. */
export const watchWithin =
  ({ leastBytes, longestMs }: Bounds) =>
  ({ bound, until }: Watch, held: number, now: number): Watch => {
    const next = Math.max(leastBytes, held * growth);
    if (until === null)
      return held > bound ? { bound, until: now + longestMs } : { bound: Math.min(bound, next), until };
    return now < until && held * growth > leastBytes ? { bound, until } : { bound: next, until: null };
  };

/** Not asked for before it is needed: as long as V8 has its flags of old, Node's own modules come with their compiled code. */
function collect() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/**
 * Has V8 give back what it took for a moment. It keeps the pages that it has emptied, up to the most it ever needed at once,
 * until memory is said to matter more than speed: then it cleans up while it is busy, too. All the time that would cost a
 * fifth of all speed and more, so it is said for seconds only, when the process holds much and has grown since. A process that
 * grows on is cleaned up at once. Who starts it with `--optimize-for-size` or its opposite has decided that already.
 */
export function giveBackMemory(): void {
  if (process.execArgv.some((flag) => /optimize[-_]for[-_]size/.test(flag))) return;
  const look = [
    watching(sparing, (begins) =>
      setFlagsFromString(begins ? '--optimize-for-size' : '--no-optimize-for-size'),
    ),
    watching(collecting, (begins) => begins && collect()),
  ];
  const check = () => {
    const held = heldBytes();
    if (held !== null) for (const each of look) each(held);
  };
  setInterval(check, checkMs).unref();
}

/** Calls `change` when giving back begins, and when it ends. */
function watching(bounds: Bounds, change: (begins: boolean) => void) {
  const watchNext = watchWithin(bounds);
  let watch = unwatched(bounds);
  return (held: number) => {
    const { until } = watch;
    watch = watchNext(watch, held, performance.now());
    if ((watch.until === null) !== (until === null)) change(watch.until !== null);
  };
}

/** Null when it can't be read, which takes a file descriptor: a process that has none left lives on. */
function heldBytes(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    return null;
  }
}
