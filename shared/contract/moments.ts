import { z } from 'zod';

/** A moment as answers give it: a Date over RPC, text in JSON. Its form has no `T`, so it is no `date-time` of RFC 3339. */
export const moment = (description: string) =>
  z.date().meta({
    description,
    type: 'string',
    pattern: String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}Z$`,
    examples: ['2026-01-31 09:05:00.123Z'],
  });

/** A moment as callers send it. Strings are left as they came: `toDate` reads them. */
export const DateTime = z
  .union([
    z.date().refine(hasKnownYear, { error: 'must be in a year from 1 to 9999' }),
    z
      .string()
      .max(40)
      .refine((value) => parseDateTime(value) !== null, { error: 'must be an RFC 3339 date-time' }),
  ])
  // Only RPC can take a Date; in JSON Schema a moment is text, and the choice between the two is gone.
  .meta({ type: 'string', format: 'date-time', anyOf: undefined, examples: ['2026-01-31T09:05:00.123Z'] });

/** The moment that an accepted `DateTime` names. */
export const toDate = (value: string | Date): Date =>
  value instanceof Date ? value : (parseDateTime(value) ?? new Date(Number.NaN));

/** Reads RFC 3339 or `<date> <time>.<milliseconds>Z`; null when it is neither, or no such moment exists. */
export function parseDateTime(value: string): Date | null {
  const iso = value.replace(' ', 'T').toUpperCase();
  const isLeapSecond = iso.slice(16, 19) === ':60';
  const written = isLeapSecond ? iso.replace(':60', ':59') : iso;
  if (!z.iso.datetime({ offset: true }).safeParse(written).success) return null;
  const moment = new Date(new Date(written).getTime() + (isLeapSecond ? 1_000 : 0));
  const exists = hasKnownYear(moment) && (!isLeapSecond || beginsMonth(moment));
  return exists ? moment : null;
}

/** RFC 3339 has four digits for the year, which an offset can lead beyond, and PostgreSQL no year 0. */
function hasKnownYear(moment: Date): boolean {
  const year = moment.getUTCFullYear();
  return year >= 1 && year <= 9_999;
}

/** Leap seconds are put in where a month ends (RFC 3339, 5.7); a Date has none, so one reads as the second after it. */
const beginsMonth = (moment: Date) => /-01T00:00:00/.test(moment.toISOString());

/**
 * A moment that writes itself to JSON in the form that REST has, `<date> <time>.<milliseconds>Z`, and is a
 * plain Date everywhere else: superjson gives RPC clients real Dates, webhook bodies call `toISOString`.
 */
export class Timestamp extends Date {
  override toJSON(): string {
    return this.toISOString().replace('T', ' ');
  }
}

export interface Clock {
  /** The moment that people call it, which is set forward and back. */
  now(): Date;
  /** Whole milliseconds since some moment, which go on evenly whatever the time is set to: what takes time is measured by it. */
  sinceStart(): number;
}

/** The time as this machine has it. */
export const systemClock: Clock = {
  now: () => new Date(),
  sinceStart: () => Math.floor(performance.now()),
};
