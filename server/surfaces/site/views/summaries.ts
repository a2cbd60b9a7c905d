import { html } from 'hono/html';
import { textsOnPages } from '../../../../shared/contract/limits.ts';
import type { Visit } from '../page.ts';
import { bodiesHtml } from './body.ts';
import { nothing, type View } from './parts.ts';

interface Described {
  id: string;
  description: string;
}

/** How much of each description after those. */
const mostOfOthers = 400;

interface DescribedList<T> {
  items: readonly T[];
  /** How many of them, from the first, have the whole of their descriptions. */
  whole: number;
}

/**
 * What was written about records that have no pages of their own, below headings of a level: whole for the first of them,
 * and how it begins for those after, since a page with all of it would take long to make, and to read.
 */
export async function summariesOf<T extends Described>(
  visit: Visit,
  { items, whole: mostWhole }: DescribedList<T>,
  below: 2 | 3,
): Promise<(record: T) => View> {
  const described = items.filter(({ description }) => description);
  const first = items.slice(0, mostWhole).filter(({ description }) => description);
  const count = countWithin(first, textsOnPages.whole);
  const [whole, others] = [described.slice(0, count), described.slice(count)];
  const bodies = await bodiesHtml(
    visit,
    whole.map(({ id, description }) => ({ content: description, below, name: id })),
  );
  const excerpts = await Promise.all(
    others.map(({ description }) => visit.texts.excerpt(description, mostOfOthers)),
  );
  const summaries = new Map<T, View>([
    ...whole.map((record, index) => [record, html`<div class="about prose">${bodies[index]}</div>`] as const),
    ...others.map((record, index) => [record, html`<p class="about">${excerpts[index]}</p>`] as const),
  ]);
  return (record) => summaries.get(record) ?? nothing;
}

/** How many of the records, from the first, have descriptions of at most so many characters together. */
function countWithin(records: readonly Described[], most: number): number {
  let length = 0;
  const first = records.findIndex(({ description }) => {
    length += description.length;
    return length > most;
  });
  return first < 0 ? records.length : first;
}
