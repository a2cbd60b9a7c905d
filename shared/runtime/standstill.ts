/** Tells whether this process stood still: stopped by a signal, its machine asleep or paused, or its loop held up. */
export interface StandstillWatch {
  /** A moment for `stoodStillSince` to look back to. */
  mark(): number;
  stoodStillSince(mark: number): boolean;
  stop(): void;
}

/** What tells time: `sinceStart` goes on evenly but may stop while the machine sleeps, `wall` jumps over that. */
export interface Clocks {
  sinceStart(): number;
  wall(): number;
}

/** How late a timer may fire, in milliseconds, before the process is said to have stood still. */
const toleratedMs = 1_000;

const beatMs = 250;

/** Watches until it is stopped; it keeps no process alive. */
export function watchStandstills(clocks: Clocks = systemClocks): StandstillWatch {
  let [lastSinceStart, lastWall] = [clocks.sinceStart(), clocks.wall()];
  let awokeAt = Number.NEGATIVE_INFINITY;
  const beat = () => {
    const [sinceStart, wall] = [clocks.sinceStart(), clocks.wall()];
    const gap = Math.max(sinceStart - lastSinceStart, wall - lastWall);
    if (gap > beatMs + toleratedMs) awokeAt = sinceStart;
    [lastSinceStart, lastWall] = [sinceStart, wall];
    return sinceStart;
  };
  const timer = setInterval(beat, beatMs).unref();
  return {
    mark: beat,
    stoodStillSince(mark) {
      // The timer that finds the gap may fire after the one that asks.
      beat();
      return awokeAt > mark;
    },
    stop: () => clearInterval(timer),
  };
}

const systemClocks: Clocks = { sinceStart: () => performance.now(), wall: () => Date.now() };
