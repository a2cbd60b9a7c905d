import { setTimeout as delay } from 'node:timers/promises';
import type { Size } from './size.ts';

/**
 * Spreads so many strikes evenly over so many events, however fast the machine is: strikes wait for events to be written,
 * and writers wait for strikes.
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
  /** False when nothing more is to be begun. */
  const until = async (condition: () => boolean) => {
    while (!condition() && !isEnded()) await delay(10);
    return !isEnded();
  };
  return {
    written: () => written,
    isOver: () => isEnded() || (written >= events && hands.every(({ strikes, struck }) => struck >= strikes)),
    /** Ends the whole: one of them failed. */
    fail() {
      failed = true;
    },
    /** One that strikes so often, one strike after the other. */
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
