import { offsetsIn, timeAt } from '../../../shared/contract/time-zone.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

const ahead = new Intl.RelativeTimeFormat('en');

/** Returns a duration in seconds, minutes or hours, such as `in 5 minutes`. */
export function inAWhile(seconds: number): string {
  if (seconds < 100) return ahead.format(seconds, 'second');
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? ahead.format(minutes, 'minute') : ahead.format(Math.ceil(minutes / 60), 'hour');
}

const units = [
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
] as const;

/** Times as a reader in one time zone writes and reads them. */
export type TimeFormat = ReturnType<typeof createTimeFormat>;

/** The zone of the studio's site hardly changes while a page is open, so the last zone's formatters are enough. */
let last: TimeFormat | undefined;

/**
 * Returns the formatters of a time zone. The last ones are kept, because creating them is expensive. Throws a `RangeError`
 * for an unknown zone.
 */
export function timeFormatIn(timeZone: string): TimeFormat {
  last = last?.timeZone === timeZone ? last : createTimeFormat(timeZone);
  return last;
}

function createTimeFormat(timeZone: string) {
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone });
  const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short', timeZone });
  const zoneName = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'short' });
  const offsetAt = offsetsIn(timeZone);
  const zoneAt = (at: Date) =>
    zoneName.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return {
    timeZone,
    /** Day of a time. */
    onDay: (at: Date): string => day.format(at),
    /** Day and time, with the zone if the browser's clock shows another time. */
    inFull(at: Date): string {
      const isOwn = offsetAt(at.getTime()) === -at.getTimezoneOffset() * 60_000;
      return isOwn ? exact.format(at) : `${exact.format(at)} ${zoneAt(at)}`;
    },
    /** Relative time within a week before or after `now`, else the day. */
    briefly(at: Date, now: Date = new Date()): string {
      const agoMs = now.getTime() - at.getTime();
      if (Math.abs(agoMs) < 60_000) return 'just now';
      if (Math.abs(agoMs) > 7 * 86_400_000) return day.format(at);
      const [unit, size] = units.findLast(([, size]) => Math.abs(agoMs) >= size) ?? units[0];
      return relative.format(-Math.trunc(agoMs / size), unit);
    },
    /** Name of the zone, with its difference from UTC at a time: `America/Sao Paulo, GMT-3`. */
    zoneNamed(at: Date): string {
      const [name, short] = [zoneLabel(timeZone), zoneAt(at)];
      return name === short ? name : `${name}, ${short}`;
    },
    /** Local time as a date-time input has it: `2026-01-31T09:05`. */
    toInput: (at: Date): string => new Date(at.getTime() + offsetAt(at.getTime())).toISOString().slice(0, 16),
    /** Time of a date-time input's text; null if it is incomplete. See `timeAt` for skipped and repeated times. */
    fromInput(text: string): Date | null {
      const local = Date.parse(`${text}Z`);
      return Number.isNaN(local) ? null : new Date(timeAt(local, offsetAt));
    },
    /** Beginning of a day, `YYYY-MM-DD`; an invalid Date for other texts. */
    beginningOf(date: string): Date {
      const local = dateOf(date).getTime();
      return new Date(Number.isNaN(local) ? local : timeAt(local, offsetAt));
    },
  };
}

/** Returns the name of a time zone without the underscores of IANA. */
export const zoneLabel = (timeZone: string): string => timeZone.replaceAll('_', ' ');

/** Dates without a time are parsed and formatted in UTC, so that no time zone shifts them. */
const dateOf = (date: string) => new Date(/^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T00:00Z` : Number.NaN);
const plainDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const plainMonth = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });

/**
 * Formats a day, given as `YYYY-MM-DD`, in the browser's language, such as `Mar 5, 2026`. Other text is returned unchanged.
 */
export const longDay = (date: string): string =>
  Number.isNaN(dateOf(date).getTime()) ? date : plainDay.format(dateOf(date));

/** Returns a date in words. It is given as a year, a year and month, or a day: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
export const partialDay = (date: string): string =>
  date.length === 7 ? plainMonth.format(dateOf(`${date}-01`)) : date.length > 7 ? longDay(date) : date;
