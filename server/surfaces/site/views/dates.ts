import { html } from 'hono/html';
import type { Words } from '../../../../shared/words/en.ts';
import type { Plural } from '../../../../shared/words/plural.ts';
import { cachedValues, unchanging } from '../../../kernel/response-cache.ts';
import type { Visit } from '../page.ts';
import { joined, nothing, type View } from './parts.ts';

/** Dates and numbers as a language writes them. */
interface Dates {
  /** `21 November 2026` */
  view(date: Date | null): View;
  /** A date of which only the year, or year and month, may be known; empty for none. */
  partial(text: string | null): string;
  /** `Mar 2021 – Aug 2024`; `present` where it has not ended. */
  span(start: string | null, end: string | null): string;
  /** `1 hour`, `2.5 hours` */
  count(forms: Plural, count: number): string;
}

const cachedDates = cachedValues<Dates>('dates');

/** What these formatters take outside of the heap, where no collection of garbage hurries because of them. */
const formattersBytes = 100_000;

/** Dates in the language of a site. Kept, since making them takes longer than all else about many a page. */
export function datesAt({ site: { language }, words, responses }: Visit): Dates {
  const kept = cachedDates.get(responses, unchanging(language));
  if (kept) return kept;
  const dates = datesIn(language, words);
  cachedDates.keep(responses, unchanging(language), { thing: dates, bytes: formattersBytes });
  return dates;
}

function datesIn(language: string, words: Words): Dates {
  // Forms go with the words, which may be another language's than the numbers.
  const rules = new Intl.PluralRules(words.language);
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  const formatter = (options: Intl.DateTimeFormatOptions) => {
    const { format } = new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options });
    return (date: Date) => format(date);
  };
  const long = formatter({ dateStyle: 'long' });
  const medium = formatter({ dateStyle: 'medium' });
  const month = formatter({ year: 'numeric', month: 'short' });
  const partial = (text: string | null) => {
    const [year = '', ofYear, day] = (text ?? '').slice(0, 10).split('-');
    if (!ofYear) return year;
    const date = new Date(`${year}-${ofYear}-${day ?? '01'}T00:00:00Z`);
    return day ? medium(date) : month(date);
  };
  return {
    view: (date) => (date ? html`<time datetime="${date.toISOString()}">${long(date)}</time>` : nothing),
    partial,
    span(start, end) {
      const from = partial(start);
      const to = end ? partial(end) : from && words.present;
      return from === to ? from : joined([from, to], ' – ');
    },
    count: (forms, count) =>
      (forms[rules.select(count)] ?? forms.other).replace('#', () => number.format(count)),
  };
}
