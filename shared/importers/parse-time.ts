import { offsetsIn, type OffsetAt as Zone } from '../contract/time-zone.ts';
import { parseDateTime } from '../contract/timestamps.ts';

export type { Zone };

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Time zones that emails and feeds write by name (RFC 2822), and European ones. */
const zones: Readonly<Record<string, string>> = {
  ...{ z: 'Z', utc: 'Z', gmt: 'Z', ut: 'Z', wet: 'Z', west: '+01:00', bst: '+01:00' },
  ...{ cet: '+01:00', cest: '+02:00', eet: '+02:00', eest: '+03:00' },
  ...{ est: '-05:00', edt: '-04:00', cst: '-06:00', cdt: '-05:00' },
  ...{ mst: '-07:00', mdt: '-06:00', pst: '-08:00', pdt: '-07:00' },
};

const time = String.raw`(?:(?:[t,]|\s|at)*(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?\s?(?<half>[ap]m)?\s?(?<zone>[a-z]{1,4}|[+-]\d\d(?::?\d\d)?)?)?`;

const forms = [
  String.raw`(?<year>\d{4})(?<sep>[-/.])(?<month>\d{1,2})\k<sep>(?<day>\d{1,2})${time}`,
  String.raw`(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)`,
  String.raw`(?<year>\d{4})(?:-(?<month>\d\d))?`,
  String.raw`(?:[a-z]{3,9},?\s)?(?<day>\d{1,2})(?:\.|st|nd|rd|th)?[\s-](?<month>[a-z]{3,9})\.?,?[\s-](?<year>\d{4})${time}`,
  String.raw`(?:[a-z]{3,9},?\s)?(?<month>[a-z]{3,9})\.?\s(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s(?<year>\d{4})${time}`,
].map((form) => new RegExp(`^${form}$`, 'i'));

const maxLength = 64;

/** Numbers from here on are milliseconds, smaller ones are seconds. */
const minMilliseconds = 100_000_000_000;

const hourMs = 3_600_000;

/**
 * Hour of the day, in UTC, of a date without a time. At 10:00 UTC, zones from UTC-10 to UTC+13:59 have the same date,
 * so it does not shift when the owner sets the site's time zone.
 */
const sameDayHour = 10;

export const utc: Zone = () => 0;

/** Possible zones of a time without a zone if no setting names one: UTC, or up to 14 hours ahead or 12 hours behind. */
export const anyZone: readonly Zone[] = [utc, () => 14 * hourMs, () => -12 * hourMs];

/** Time zone by its IANA name; null for an unknown name. */
function zoneOf(name: unknown): Zone | null {
  if (typeof name !== 'string' || name === '' || name.length > maxLength) return null;
  try {
    return offsetsIn(name);
  } catch {
    return null;
  }
}

/**
 * Returns the time zones that settings name. An unknown name is replaced by `anyZone`, the whole range of offsets.
 * Empty without names.
 */
export const zonesOf = (names: readonly unknown[]): readonly Zone[] =>
  names
    .filter((name) => name !== undefined && name !== null && name !== '')
    .flatMap((name) => zoneOf(name) ?? anyZone);

export interface WrittenTime {
  time: Date;
  /** Earliest and latest possible time, which differ if it was written without a zone. */
  earliest: Date;
  latest: Date;
  /** Day as written: `2024-01-31`. */
  day: string;
}

/** Reads a time as `readTime` does, in UTC if it has no zone; null if it cannot be read. */
export const parseTime = (value: unknown): Date | null => readTime(value, [utc])?.time ?? null;

/**
 * Reads a time in any form that other systems write. These are RFC 3339 and RFC 2822 with or without a time and a zone,
 * English month names, and seconds or milliseconds since 1970. Without a zone, the first of `zones` is used, and all of
 * them count for the range. Null if it cannot be read, or if month and day are ambiguous.
 */
export function readTime(value: unknown, zones: readonly Zone[]): WrittenTime | null {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? null : readTime(value.toISOString(), zones);
  if (typeof value === 'number')
    return (
      readTime(String(value), zones) ??
      readTime(new Date(Math.abs(value) < minMilliseconds ? value * 1_000 : value), zones)
    );
  if (typeof value !== 'string' || value.length > maxLength) return null;
  const text = value.trim().replace(/\[[\w/+-]*\]$/, '');
  for (const form of forms) {
    const found = form.exec(text)?.groups;
    if (found) return timeInZones(found, zones);
  }
  return null;
}

type Groups = Readonly<Record<string, string | undefined>>;

function timeInZones(
  { year = '', month = '1', day: written = '1', zone = '', ...clock }: Groups,
  zones: readonly Zone[],
): WrittenTime | null {
  const number = /^\d/.test(month) ? Number(month) : months.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const day = `${year}-${twoDigits(number)}-${twoDigits(Number(written))}`;
  const offset = offsetOf(zone);
  const read = offset === null ? null : parseDateTime(`${day}T${timeOf(clock)}${offset}`);
  if (!read) return null;
  if (zone !== '') return { time: read, earliest: read, latest: read, day };
  const each = zones.flatMap((ahead) => possibleTimes(read, ahead));
  const earliest = new Date(Math.min(...each));
  const latest = new Date(Math.max(...each));
  const timestamp = new Date(
    clock.hour === undefined ? read.getTime() + sameDayHour * hourMs : (each[0] ?? read),
  );
  return { time: timestamp, earliest, latest, day };
}

/** Times in UTC at which clocks of a zone show what `read` shows in UTC: two if clocks are set back, otherwise one. */
function possibleTimes(read: Date, ahead: Zone): number[] {
  const shown = read.getTime();
  const around = [-24, 24].map((hours) => shown - ahead(shown + hours * hourMs));
  const found = [...new Set(around)].filter((timestamp) => timestamp + ahead(timestamp) === shown);
  const known = (found.length > 0 ? found : around).filter((timestamp) =>
    parseDateTime(new Date(timestamp).toISOString()),
  );
  return known.length > 0 ? known : [shown];
}

function timeOf({ hour = '0', minute = '00', second = '00', fraction = '0', half }: Groups): string {
  const hours = half ? (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : Number(hour);
  return `${twoDigits(hours)}:${minute}:${second}.${fraction.slice(0, 3)}`;
}

function offsetOf(zone: string): string | null {
  if (zone === '') return 'Z';
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return hours ? `${hours}:${minutes}` : (zones[zone.toLowerCase()] ?? null);
}

const twoDigits = (value: number) => String(value).padStart(2, '0');
