/** True if a row has these values. Null and a missing value are equal, and so are dates of the same time. */
export function hasValues(row: object, values: object): boolean {
  const stored: Partial<Record<string, unknown>> = { ...row };
  return Object.entries(values).every(([name, value]) => plain(stored[name]) === plain(value));
}

const plain = (value: unknown) => (value instanceof Date ? value.getTime() : (value ?? null));

/**
 * Values to assign to a locked row. If the row lacks one, `updated` rises: to `now`, or by a millisecond if the clock was set back.
 */
export const changesOf = <Values extends object>(row: { updated: Date }, values: Values, now: Date) => ({
  ...values,
  updated: hasValues(row, values)
    ? row.updated
    : new Date(Math.max(now.getTime(), row.updated.getTime() + 1)),
});
