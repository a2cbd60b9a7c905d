import { html } from 'hono/html';
import type { Visit } from '../page.ts';
import { bodiesHtml } from './body.ts';
import { nothing, type View } from './parts.ts';

interface Described {
  id: string;
  description: string;
}

/** Characters of descriptions that one page shows whole: a longer one would take long to make, and to read. */
const mostWhole = 100_000;

/** How much of each description after those. */
const mostOfOthers = 400;

/**
 * What was written about records that have no pages of their own, below headings of a level: whole for the first of them,
 * and how it begins for those after.
 */
export async function aboutsOf<T extends Described>(
  visit: Visit,
  records: readonly T[],
  below: 2 | 3,
): Promise<(record: T) => View> {
  const described = records.filter(({ description }) => description);
  const count = countWithin(described, mostWhole);
  const [whole, others] = [described.slice(0, count), described.slice(count)];
  const bodies = await bodiesHtml(
    visit,
    whole.map(({ id, description }) => ({ content: description, below, name: id })),
  );
  const openings = await Promise.all(
    others.map(({ description }) => visit.texts.opening(description, mostOfOthers)),
  );
  const abouts = new Map<T, View>([
    ...whole.map((record, index) => [record, html`<div class="about prose">${bodies[index]}</div>`] as const),
    ...others.map((record, index) => [record, html`<p class="about">${openings[index]}</p>`] as const),
  ]);
  return (record) => abouts.get(record) ?? nothing;
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
