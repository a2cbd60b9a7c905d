/** Default time zone of a site. */
export const utc = 'UTC';

/** Pattern of IANA names, which begin with a letter. Newer versions of Intl also accept offsets such as `+03:00`. */
const namePattern = /^[A-Z][\w+-]*(?:\/[\w+-]+)*$/i;

/** Names that ICU adds to those of IANA. The abbreviations are ambiguous: its BST is in Bangladesh. */
const notOfIana =
  /^(?:SystemV\/.*|A[CEGRS]T|BET|BST|C[ANST]T|CTT|EAT|ECT|I[ES]T|JST|MIT|N[ES]T|P[LNRS]T|SST|VST)$/i;

/** Maximum length of a name that is looked up, in characters. */
const maxNameLength = 64;

/** True if `name` is an IANA time zone that this runtime knows. */
export function isTimeZone(name: string): boolean {
  if (name.length > maxNameLength || !namePattern.test(name) || notOfIana.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** Difference between a zone's local time and UTC at `time`, in milliseconds; positive east of Greenwich. */
export type OffsetAt = (time: number) => number;

/**
 * Returns a function that returns the offset of a zone from UTC, in milliseconds, at a time. Throws a `RangeError` for an
 * unknown zone. Creating the formatter is expensive: keep the returned function.
 */
export function offsetsIn(timeZone: string): OffsetAt {
  const clock = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (time) => offsetIn(clock.format(time));
}

/**
 * Parses the offset at the end of a formatted time, such as `1/31/2024, GMT+01:00`, to milliseconds; 0 for UTC, which has
 * no digits.
 */
function offsetIn(text: string): number {
  const [, sign, hours, minutes, seconds] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  const offset = (Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1_000;
  return sign === '-' ? -offset : offset;
}

const dayMs = 86_400_000;

/**
 * Returns the times at which local clocks show `local`, the earlier first. All values are milliseconds; `local` counts
 * as if it were UTC. Empty if clocks skip it when they move forward.
 */
export function timesAt(local: number, offsetAt: OffsetAt): number[] {
  const around = [-dayMs, dayMs].map((distance) => local - offsetAt(local + distance));
  return [...new Set(around)].filter((time) => time + offsetAt(time) === local).toSorted((a, b) => a - b);
}

/**
 * Returns the time at which local clocks show `local`, both as in `timesAt`. If clocks show it twice, the result is the
 * earlier time. If clocks skip it, the time moves forward by the length of the gap: 2:30 becomes 3:30.
 */
export const timeAt = (local: number, offsetAt: OffsetAt): number =>
  timesAt(local, offsetAt)[0] ?? local - offsetAt(local - dayMs);
