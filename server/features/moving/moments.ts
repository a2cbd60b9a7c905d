import { parseDateTime } from '../../../shared/contract/moments.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Zones that mails and feeds write by name (RFC 2822), and those of Europe. */
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

/** Longest text that may be a moment. */
const longest = 64;

/** From here on a number counts milliseconds, below it seconds. */
const leastMilliseconds = 100_000_000_000;

/**
 * A moment in any of the forms that other systems write: those of RFC 3339 and RFC 2822, with or without a time and a zone
 * (UTC then), with months by number or in English, and counted in seconds or milliseconds. Null for what can't be read,
 * such as days whose month and day can't be told apart.
 */
export function momentOf(value: unknown): Date | null {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : momentOf(value.toISOString());
  if (typeof value === 'number') return momentOf(String(value)) ?? counted(value);
  if (typeof value !== 'string' || value.length > longest) return null;
  const text = value.trim().replace(/\[[\w/+-]*\]$/, '');
  for (const form of forms) {
    const found = form.exec(text)?.groups;
    if (found) return momentIn(found);
  }
  return null;
}

function counted(value: number): Date | null {
  const moment = new Date(Math.abs(value) < leastMilliseconds ? value * 1_000 : value);
  return Number.isNaN(moment.getTime()) ? null : parseDateTime(moment.toISOString());
}

type Groups = Readonly<Record<string, string | undefined>>;

function momentIn({ year = '', month = '1', day = '1', zone = '', ...clock }: Groups): Date | null {
  const number = /^\d/.test(month) ? Number(month) : months.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const date = `${year}-${twoDigits(number)}-${twoDigits(Number(day))}`;
  const offset = offsetOf(zone);
  return offset === null ? null : parseDateTime(`${date}T${timeOf(clock)}${offset}`);
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
