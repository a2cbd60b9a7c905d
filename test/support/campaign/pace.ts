import { setTimeout as delay } from 'node:timers/promises';
import type { Size } from './size.ts';

/**
 * Spreads strikes evenly over events, however fast the machine is. Strikes wait for written events, and writers wait
 * for strikes.
 */
export function createPace({ events, minutes }: Size) {
  const endsAt = performance.now() + minutes * 60_000;
  const hands: { strikes: number; struck: number }[] = [];
  let written = 0;
  let failed = false;
  const allowed = () =>
    Math.min(...hands.map(({ strikes, struck }) => (struck >= strikes ? 1 : (struck + 1) / strikes))) *
    events;
  const isEnded = () => failed || performance.now() >= endsAt;
  /** Waits for a condition. False if the campaign has ended and nothing more may begin. */
  const until = async (condition: () => boolean) => {
    while (!condition() && !isEnded()) await delay(10);
    return !isEnded();
  };
  return {
    written: () => written,
    isOver: () => isEnded() || (written >= events && hands.every(({ strikes, struck }) => struck >= strikes)),
    /** Ends the campaign, because one of its parts failed. */
    fail() {
      failed = true;
    },
    /** Registers a part that strikes this many times in sequence. */
    hand(strikes: number) {
      const own = { strikes, struck: 0 };
      hands.push(own);
      return {
        due: () => until(() => written >= ((own.struck + 0.5) / strikes) * events),
        struck() {
          own.struck += 1;
        },
      };
    },
    mayWrite: () => until(() => written < allowed()),
    wrote() {
      written += 1;
    },
  };
}

export type Pace = ReturnType<typeof createPace>;
