import type { Clock } from '../../shared/contract/timestamps.ts';

/** Clock that a test moves. */
export class TestClock implements Clock {
  #now = new Date('2026-01-31T09:05:00.123Z');
  /** Time by which the wall clock was set forward, in milliseconds. */
  #setMs = 0;

  now(): Date {
    return new Date(this.#now);
  }

  sinceStart(): number {
    return this.#now.getTime() - this.#setMs;
  }

  /** Sets the wall clock, as operators and time servers do. No time passes for `sinceStart`. */
  set(by: { hours: number }) {
    const before = this.#now.getTime();
    this.advance(by);
    this.#setMs += this.#now.getTime() - before;
  }

  advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number; ms?: number }) {
    this.#now = this.#after(by);
  }

  /** Moves to the current time of the machine, by which processes outside the test delete expired rows. */
  catchUp() {
    this.#now = new Date();
  }

  /** Returns the time this many minutes later. */
  inMinutes(minutes: number): Date {
    return this.#after({ minutes });
  }

  #after({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 }): Date {
    return new Date(
      this.#now.getTime() + ((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000 + ms),
    );
  }
}
