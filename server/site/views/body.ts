import { html, raw } from 'hono/html';
import { media, textsOnPages } from '../../../shared/contract/limits.ts';
import type { Words } from '../../../shared/i18n/en.ts';
import { isReadFromTheRight, isWrittenFromTheRight } from '../../../shared/i18n/language-rules.ts';
import type { PageTexts, Visit } from '../page.ts';
import { contentsOf, withAnchors, withFramedTables, withLanguages } from './anchors.ts';
import { imageIdsIn, withSizes } from './images.ts';
import { nothing, type View } from './parts.ts';

interface BodyOptions {
  /** Level of the heading that it stands below. */
  below?: 1 | 2 | 3;
  /** Tells it apart where a page has several bodies. */
  name?: string;
}

interface Body extends BodyOptions {
  content: string;
}

/** A body as a page shows it, its images in the sizes that there are. The page has to declare `media` among what it uses. */
export async function bodyHtml(visit: Visit, content: string, options: BodyOptions = {}): Promise<View> {
  const [shown = nothing] = await bodiesHtml(visit, [{ content, ...options }]);
  return shown;
}

/** The text of a page that is read from top to bottom: its parts have addresses, which are listed where there are several. */
export async function articleBody(visit: Visit, content: string): Promise<View> {
  const { body, headings } = withAnchors(String(await bodyHtml(visit, content)));
  return html`${contentsOf(visit.words, headings)}<div class="body prose"${directed(visit, content)}>${raw(body)}</div>`;
}

export const directed = ({ site }: Visit, text: string): View =>
  isReadFromTheRight(text) && !isWrittenFromTheRight(site.language) ? raw(' dir="rtl"') : nothing;

/** The same of several, whose images are read together. */
async function bodiesHtml(
  { texts: pageTexts, words, origin, read }: Visit,
  bodies: readonly Body[],
): Promise<View[]> {
  const texts = await Promise.all(bodies.map((body) => safeHtml(pageTexts, words, body)));
  const ids = [...new Set(texts.flatMap((text) => imageIdsIn(text, origin)))].slice(0, media.mostSized);
  if (ids.length === 0) return texts.map((text) => raw(text));
  const { data } = await read('visitors.images', { ids });
  const known = new Map(data.map((image) => [image.id, image]));
  return texts.map((text) => raw(withSizes(text, origin, known)));
}

async function safeHtml(texts: PageTexts, words: Words, { content, below = 1, name }: Body): Promise<string> {
  const leveled = withHeadingsBelow(
    withFramedTables(words, withLanguages(words, await texts.html(content))),
    below,
  );
  return name ? withNamedParts(leveled, name) : leveled;
}

/** Headings of a rendered body begin at 2. */
const withHeadingsBelow = (html: string, level: number) =>
  level === 1
    ? html
    : html.replace(
        /<(\/?)h([2-6])(?=[ >])/g,
        (_, slash: string, own: string) => `<${slash}h${Math.min(Number(own) + level - 1, 6)}`,
      );

/** Ids of a body with the name of the body in front, and its links to them: each body counts footnotes and tasks from 1. */
const withNamedParts = (html: string, name: string) =>
  / (id|for)="/.test(html)
    ? html.replace(/<[a-z][^>]*>/g, (tag) =>
        tag.replace(/ (id="|for="|href="#)(?=footnote|task-item|h-)/g, ` $1${name}-`),
      )
    : html;

interface Described {
  id: string;
  description: string;
}

const mostOfOthers = 400;

/**
 * Descriptions of records that have no pages of their own, below headings of a level. The first `whole` records have complete
 * descriptions, the others an excerpt: a page with all texts would take long to render and to read.
 */
export async function summariesOf<T extends Described>(
  visit: Visit,
  { items, whole: mostWhole }: { items: readonly T[]; whole: number },
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

function countWithin(records: readonly Described[], most: number): number {
  let length = 0;
  const first = records.findIndex(({ description }) => {
    length += description.length;
    return length > most;
  });
  return first < 0 ? records.length : first;
}
