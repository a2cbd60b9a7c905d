const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

const ahead = new Intl.RelativeTimeFormat('en');

/** In how many seconds, minutes or hours. */
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

/** How long ago, for the last week; else the day. */
export function briefly(moment: Date, now: Date = new Date()): string {
  const agoMs = now.getTime() - moment.getTime();
  if (Math.abs(agoMs) < 60_000) return 'just now';
  if (Math.abs(agoMs) > 7 * 86_400_000) return day.format(moment);
  const [unit, size] = units.findLast(([, size]) => Math.abs(agoMs) >= size) ?? units[0];
  return relative.format(-Math.trunc(agoMs / size), unit);
}

/** A day as `YYYY-MM-DD` in words. */
export const longDay = (date: string): string => {
  const moment = new Date(`${date}T00:00`);
  return Number.isNaN(moment.getTime()) ? date : day.format(moment);
};

const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });

/** A date of which only the year, or year and month, may be known. */
export const partialDay = (date: string): string =>
  date.length === 7 ? month.format(new Date(`${date}-01T00:00`)) : date.length > 7 ? longDay(date) : date;

export const onDay = (moment: Date): string => day.format(moment);

export const inFull = (moment: Date): string => exact.format(moment);
