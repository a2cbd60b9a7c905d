import { setFlagsFromString } from 'node:v8';

/** Bytes of memory from which on a process favours memory over speed, and below which it favours speed again. */
const bounds = { high: 220 * 1024 * 1024, low: 200 * 1024 * 1024 } as const;

const checkMs = 500;

/**
 * Has V8 give back what it took for a moment. It keeps the pages that it has emptied, up to the most it ever needed at once,
 * until memory is said to matter more than speed: then it also cleans up while it is busy, two seconds after it has marked
 * the heap. As a rule that would cost a fifth of all speed, so it is said only while the process holds much.
 */
export function giveBackMemory(): void {
  setFlagsFromString('--gc-memory-reducer-start-delay-ms=2000');
  let favoursMemory = false;
  const check = () => {
    const held = process.memoryUsage.rss();
    if (favoursMemory ? held > bounds.low : held < bounds.high) return;
    favoursMemory = !favoursMemory;
    setFlagsFromString(favoursMemory ? '--optimize-for-size' : '--no-optimize-for-size');
  };
  setInterval(check, checkMs).unref();
}
