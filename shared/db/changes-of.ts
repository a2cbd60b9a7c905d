import { Timestamp } from '../contract/timestamps.ts';

/** True if a row has these values. Null and a missing value are equal, and so are dates of the same time. */
export function hasValues(row: object, values: object): boolean {
  const stored: Partial<Record<string, unknown>> = { ...row };
  return Object.entries(values).every(([name, value]) => plain(stored[name]) === plain(value));
}

const plain = (value: unknown) => (value instanceof Date ? value.getTime() : (value ?? null));

/** Time of the next write to a row: `now`, or a millisecond after the last one if the clock was set back. */
export const nextWriteTime = (updated: Date, now: Date) =>
  new Timestamp(Math.max(now.getTime(), updated.getTime() + 1));

/** Values to assign to a locked row. If the row lacks one, `updated` is the time of the next write. */
export const changesOf = <Values extends object>(row: { updated: Date }, values: Values, now: Date) => ({
  ...values,
  updated: hasValues(row, values) ? row.updated : nextWriteTime(row.updated, now),
});
