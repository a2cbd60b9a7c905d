import { html, raw } from 'hono/html';
import { media, textsOnPages } from '../../../shared/contract/limits.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { isReadFromTheRight, isWrittenFromTheRight } from '../../../shared/i18n/language-rules.ts';
import type { PageTexts, Visit } from '../page.ts';
import { contentsOf, withAnchors, withFramedTables, withLanguages } from './anchors.ts';
import { imageIdsIn, withSizes } from './images.ts';
import { nothing, type View } from './parts.ts';

interface BodyOptions {
  /** Level of the heading above the body. */
  below?: 1 | 2 | 3;
  /** Prefix for the body's IDs, on a page with several bodies. */
  name?: string;
}

interface Body extends BodyOptions {
  content: string;
}

/** Renders a body with its images in all renditions. The page must declare `media` in `uses`. */
export async function bodyHtml(visit: Visit, content: string, options: BodyOptions = {}): Promise<View> {
  const [shown = nothing] = await bodiesHtml(visit, [{ content, ...options }]);
  return shown;
}

/** Renders the main text of a page: its headings have links, and a table of contents if there are several. */
export async function articleBody(visit: Visit, content: string): Promise<View> {
  const { body, headings } = withAnchors(String(await bodyHtml(visit, content)));
  return html`${contentsOf(visit.strings, headings)}<div class="body prose"${directed(visit, content)}>${raw(body)}</div>`;
}

export const directed = ({ site }: Visit, text: string): View =>
  isReadFromTheRight(text) && !isWrittenFromTheRight(site.language) ? raw(' dir="rtl"') : nothing;

/** Renders several bodies, and reads their images together. */
async function bodiesHtml(
  { texts: pageTexts, strings, origin, read }: Visit,
  bodies: readonly Body[],
): Promise<View[]> {
  const texts = await Promise.all(bodies.map((body) => safeHtml(pageTexts, strings, body)));
  const ids = [...new Set(texts.flatMap((text) => imageIdsIn(text, origin)))].slice(
    0,
    media.maxResizedImages,
  );
  if (ids.length === 0) return texts.map((text) => raw(text));
  const { data } = await read('visitors.images', { ids });
  const known = new Map(data.map((image) => [image.id, image]));
  return texts.map((text) => raw(withSizes(text, origin, known)));
}

async function safeHtml(
  texts: PageTexts,
  strings: SiteStrings,
  { content, below = 1, name }: Body,
): Promise<string> {
  const leveled = withHeadingsBelow(
    withFramedTables(strings, withLanguages(strings, await texts.html(content))),
    below,
  );
  return name ? withNamedParts(leveled, name) : leveled;
}

/** Shifts the headings of a rendered body, which begin at level 2, below the given level. */
const withHeadingsBelow = (html: string, level: number) =>
  level === 1
    ? html
    : html.replace(
        /<(\/?)h([2-6])(?=[ >])/g,
        (_, slash: string, own: string) => `<${slash}h${Math.min(Number(own) + level - 1, 6)}`,
      );

/** Prefixes a body's IDs and the links to them. Each body numbers its footnotes and tasks from 1. */
const withNamedParts = (html: string, name: string) =>
  / (id|for)="/.test(html)
    ? html.replace(/<[a-z][^>]*>/g, (tag) =>
        tag.replace(/ (id="|for="|href="#)(?=footnote|task-item|h-)/g, ` $1${name}-`),
      )
    : html;

interface DescribedRecord {
  id: string;
  description: string;
}

const maxOtherCharacters = 400;

/**
 * Renders descriptions of records without own pages, below headings of a level. Returns a function that returns that of a
 * record; empty if it has none. The first `whole` records have complete descriptions, the others an excerpt: a page with
 * all texts would take long to render and to read.
 */
export async function summariesOf<T extends DescribedRecord>(
  visit: Visit,
  { items, whole: maxWhole }: { items: readonly T[]; whole: number },
  below: 2 | 3,
): Promise<(record: T) => View> {
  const described = items.filter(({ description }) => description);
  const first = items.slice(0, maxWhole).filter(({ description }) => description);
  const count = countWithin(first, textsOnPages.whole);
  const [whole, others] = [described.slice(0, count), described.slice(count)];
  const bodies = await bodiesHtml(
    visit,
    whole.map(({ id, description }) => ({ content: description, below, name: id })),
  );
  const excerpts = await Promise.all(
    others.map(({ description }) => visit.texts.excerpt(description, maxOtherCharacters)),
  );
  const summaries = new Map<T, View>([
    ...whole.map((record, index) => [record, html`<div class="about prose">${bodies[index]}</div>`] as const),
    ...others.map((record, index) => [record, html`<p class="about">${excerpts[index]}</p>`] as const),
  ]);
  return (record) => summaries.get(record) ?? nothing;
}

function countWithin(records: readonly DescribedRecord[], max: number): number {
  let length = 0;
  const first = records.findIndex(({ description }) => {
    length += description.length;
    return length > max;
  });
  return first < 0 ? records.length : first;
}
