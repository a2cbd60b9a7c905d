/**
 * Watch that notices when this process stalled. Causes are a signal that stopped it, a machine that slept, or a blocked
 * event loop.
 */
export interface StallDetector {
  /** Returns the current time, for `hasStalledSince`. */
  mark(): number;
  hasStalledSince(mark: number): boolean;
  stop(): void;
}

/**
 * Clocks of a machine, in milliseconds. `sinceStart` never jumps but may pause while the machine sleeps; `wall`
 * continues.
 */
export interface Clocks {
  sinceStart(): number;
  wall(): number;
}

/** Maximum delay of a timer, in milliseconds, before the process counts as stalled. */
const toleratedMs = 1_000;

const beatMs = 250;

/** Starts to detect stalls of this process, until `stop` is called. It does not keep the process alive. */
export function detectStalls(clocks: Clocks = systemClocks): StallDetector {
  let [lastSinceStart, lastWall] = [clocks.sinceStart(), clocks.wall()];
  let stallEndedAt = Number.NEGATIVE_INFINITY;
  const beat = () => {
    const [sinceStart, wall] = [clocks.sinceStart(), clocks.wall()];
    const gap = Math.max(sinceStart - lastSinceStart, wall - lastWall);
    if (gap > beatMs + toleratedMs) stallEndedAt = sinceStart;
    [lastSinceStart, lastWall] = [sinceStart, wall];
    return sinceStart;
  };
  const timer = setInterval(beat, beatMs).unref();
  return {
    mark: beat,
    hasStalledSince(mark) {
      // The timer of `beat` may fire after the timer of the caller, so check now.
      beat();
      return stallEndedAt > mark;
    },
    stop: () => clearInterval(timer),
  };
}

const systemClocks: Clocks = { sinceStart: () => performance.now(), wall: () => Date.now() };
