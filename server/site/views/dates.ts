import { html } from 'hono/html';
import { isTimeZone, utc } from '../../../shared/contract/time-zone.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { isWrittenFromTheRight, type Plural } from '../../../shared/i18n/language-rules.ts';
import { cachedValues, unchanging } from '../../api/response-cache.ts';
import type { Visit } from '../page.ts';
import { joined, nothing } from './parts.ts';

const cachedDates = cachedValues<ReturnType<typeof datesIn>>('dates');

/** Memory of the formatters, in bytes. It is outside of the V8 heap, so garbage collection does not account for it. */
const formattersBytes = 100_000;

/**
 * Returns the formatters of dates in the language and time zone of a site. Cached per pair, since creating the formatters
 * takes longer than the rest of many pages.
 */
export function datesAt({ site: { language, time_zone }, strings, responses }: Visit) {
  const key = unchanging(`${language} ${time_zone}`);
  const kept = cachedDates.get(responses, key);
  if (kept) return kept;
  const dates = datesIn(language, time_zone, strings);
  cachedDates.keep(responses, key, { thing: dates, bytes: formattersBytes });
  return dates;
}

function datesIn(language: string, timeZone: string, strings: SiteStrings) {
  // Plural rules follow the site strings, whose language may differ from that of the numbers.
  const rules = new Intl.PluralRules(strings.language);
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  const formatter = (options: Intl.DateTimeFormatOptions) => {
    const { format } = new Intl.DateTimeFormat(language, options);
    return (date: Date) => format(date);
  };
  // A newer server may have stored a zone that this version of Node does not know.
  const long = formatter({ dateStyle: 'long', timeZone: isTimeZone(timeZone) ? timeZone : utc });
  // Partial dates have no time. They are parsed and formatted in UTC, so that no zone shifts them.
  const medium = formatter({ dateStyle: 'medium', timeZone: utc });
  const month = formatter({ year: 'numeric', month: 'short', timeZone: utc });
  const partial = (text: string | null) => {
    const [year = '', ofYear, day] = (text ?? '').slice(0, 10).split('-');
    if (!ofYear) return year;
    const date = new Date(`${year}-${ofYear}-${day ?? '01'}T00:00:00Z`);
    return day ? medium(date) : month(date);
  };
  const isAgainst = isWrittenFromTheRight(language) !== isWrittenFromTheRight(strings.language);
  return {
    /** `21 November 2026`, the day in the site's time zone. */
    view: (date: Date | null) =>
      date ? html`<time datetime="${date.toISOString()}">${long(date)}</time>` : nothing,
    /** Returns the day of a time as plain text, for sentences. It is isolated in a sentence of the other direction. */
    day: isAgainst ? (date: Date) => `\u2068${long(date)}\u2069` : long,
    /** Date of which only the year, or year and month, may be known; empty for null. */
    partial,
    /** `Mar 2021 – Aug 2024`, with `present` for an open end. */
    span(start: string | null, end: string | null) {
      const from = partial(start);
      const to = end ? partial(end) : from && strings.present;
      return from === to ? from : joined([from, to], ' – ');
    },
    /** `1 hour`, `2.5 hours` */
    count: (forms: Plural, count: number) =>
      (forms[rules.select(count)] ?? forms.other).replace('#', () => number.format(count)),
  };
}
