import { z } from 'zod';

/**
 * Returns the schema of a timestamp in answers: a `Date` over RPC, text in JSON. The text has a space instead of the
 * `T`, so it is not a `date-time` of RFC 3339.
 */
export const timestamp = (description: string) =>
  z.date().meta({
    description,
    type: 'string',
    pattern: String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}Z$`,
    examples: ['2026-01-31 09:05:00.123Z'],
  });

/** Timestamp in requests. Strings stay unchanged; `toDate` parses them. */
export const DateTime = z
  .union([
    z.date().refine(hasKnownYear, { error: 'must be in a year from 1 to 9999' }),
    z
      .string()
      .max(40)
      .refine((value) => parseDateTime(value) !== null, { error: 'must be an RFC 3339 date-time' }),
  ])
  // Only RPC accepts a Date. In JSON Schema a timestamp is a string, so the union is removed.
  .meta({ type: 'string', format: 'date-time', anyOf: undefined, examples: ['2026-01-31T09:05:00.123Z'] });

/** Converts a valid `DateTime` to a Date. The result is an invalid Date for other text. */
export const toDate = (value: string | Date): Date =>
  value instanceof Date ? value : (parseDateTime(value) ?? new Date(Number.NaN));

/**
 * Parses RFC 3339 or `<date> <time>.<milliseconds>Z`. Null if the text has neither form, if the time does not exist,
 * or if its year in UTC is not 1 to 9999. A leap second becomes the second after it.
 */
export function parseDateTime(value: string): Date | null {
  const iso = value.replace(' ', 'T').toUpperCase();
  const isLeapSecond = iso.slice(16, 19) === ':60';
  const written = isLeapSecond ? iso.replace(':60', ':59') : iso;
  if (!z.iso.datetime({ offset: true }).safeParse(written).success) return null;
  const timestamp = new Date(new Date(written).getTime() + (isLeapSecond ? 1_000 : 0));
  const exists = hasKnownYear(timestamp) && (!isLeapSecond || beginsMonth(timestamp));
  return exists ? timestamp : null;
}

/**
 * True if the year of a timestamp can be stored. An offset can move a year beyond four digits, and PostgreSQL has no year
 * 0.
 */
function hasKnownYear(timestamp: Date): boolean {
  const year = timestamp.getUTCFullYear();
  return year >= 1 && year <= 9_999;
}

/**
 * True if a timestamp is in the first second of a month, because leap seconds are inserted at the end of one (RFC 3339,
 * 5.7). A Date has no leap seconds, so one is read as the second after it.
 */
const beginsMonth = (timestamp: Date) => /-01T00:00:00/.test(timestamp.toISOString());

/**
 * Date that serializes to JSON in the form of REST, `<date> <time>.<milliseconds>Z`. Otherwise it is a plain Date:
 * superjson sends it to RPC clients as a Date, and webhook bodies call `toISOString`.
 */
export class Timestamp extends Date {
  override toJSON(): string {
    return this.toISOString().replace('T', ' ');
  }
}

/** Source of time. Tests replace it by a clock that they advance. */
export interface Clock {
  /** Current time of the wall clock, which can be set forward and back. */
  now(): Date;
  /** Whole milliseconds since an arbitrary start. The value never jumps, so durations are measured with it. */
  sinceStart(): number;
}

/** Clock of this machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  sinceStart: () => Math.floor(performance.now()),
};
