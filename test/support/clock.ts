import type { Clock } from '../../shared/contract/moments.ts';

/** A clock that stands still until a test moves it. */
export class TestClock implements Clock {
  #now = new Date('2026-01-31T09:05:00.123Z');
  /** How far the time was set forward. */
  #setMs = 0;

  now(): Date {
    return new Date(this.#now);
  }

  sinceStart(): number {
    return this.#now.getTime() - this.#setMs;
  }

  /** Sets the time to another, as operators and time servers do, while none passes. */
  set(by: { hours: number }) {
    const before = this.#now.getTime();
    this.advance(by);
    this.#setMs += this.#now.getTime() - before;
  }

  advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number; ms?: number }) {
    this.#now = this.#after(by);
  }

  /** Moves to the machine's moment, by which processes beside the test remove what is past its time. */
  catchUp() {
    this.#now = new Date();
  }

  /** The moment that many minutes from now. */
  inMinutes(minutes: number): Date {
    return this.#after({ minutes });
  }

  #after({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 }): Date {
    return new Date(
      this.#now.getTime() + ((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000 + ms),
    );
  }
}
