import { randomUUID } from 'node:crypto';
import type { MarkdownIt } from 'markdown-it';
import { withoutEntities } from '../content/sanitized-html.ts';
import { decodedPath } from '../contract/site-paths.ts';

/**
 * Prefix of the ids of headings and of ids that a body declares. No id of the page itself begins with it, so that a body
 * cannot take the place of an element of the page.
 */
export const anchorPrefix = 'h-';

/**
 * Part of the ids that the renderer makes until a body is finished. A body cannot contain it, so the ids of footnotes and
 * tasks are known from those that a body declares.
 */
export const ownMark = randomUUID();

/** Maximum length of an id that is made of a heading's words. */
const maxIdLength = 60;

/** Attribute of headings that were written in Markdown: their text before typographic replacements. */
export const headingText = 'data-heading';

interface AnchoredBody {
  /** The HTML, in which each id is unique, each heading has one, and links within the body lead to them. */
  html: string;
  /** Returns the id that a fragment without its `#` leads to, or null. */
  idOf(fragment: string): string | null;
}

/**
 * Core rule: a heading that ends with `{#id}` declares that id. Each heading also gets its text, since GitHub makes its
 * anchors of the text before dashes and quotation marks are replaced.
 */
export function declaredIds({ core: { ruler } }: MarkdownIt) {
  ruler.before('inline', 'declared_ids', ({ tokens }) => {
    for (const [at, heading] of tokens.entries()) {
      const text = tokens[at + 1];
      if (heading.type !== 'heading_open' || !text) continue;
      const found = declaredIn(text.content);
      if (!found) continue;
      text.content = found.title;
      heading.attrSet('id', found.id);
    }
  });
  ruler.after('inline', 'heading_texts', ({ tokens }) => {
    for (const [at, heading] of tokens.entries()) {
      if (heading.type !== 'heading_open') continue;
      const parts = tokens[at + 1]?.children ?? [];
      const text = parts.map(({ type, content }) => (/^(text|code)/.test(type) ? content : ''));
      heading.attrSet(headingText, ownMark + text.join(''));
    }
  });
}

function declaredIn(content: string) {
  if (!content.endsWith('}')) return null;
  const start = content.lastIndexOf('{#');
  const [title, id] = [content.slice(0, Math.max(start, 0)), content.slice(start + 2, -1)];
  if (!/\s$/.test(title) || title.trim() === '' || !/^[^\s{}"<>&]{1,200}$/.test(id)) return null;
  return { title: title.trimEnd(), id };
}

/**
 * Gives each heading of a sanitized body an id and makes all ids unique. A link `#x` within the body is rewritten to the
 * first of: the id declared as `x`, the heading that GitHub calls `x`, and the heading whose own id is `x` or `h-x`.
 */
export function withAnchors(sanitized: string): AnchoredBody {
  const ids = uniqueNames(2);
  const declared = new Map<string, string>();
  // Declared ids come first: their authors chose them, whereas ids of headings can count on.
  const taken = new Set([...sanitized.matchAll(madeId)].map(([, kind = '', number]) => kind + number));
  const withDeclared = sanitized.replace(/<[a-z][^>]* id="[^>]*>/g, (tag) =>
    tag.replace(/ id="([^"]*)"/, (attribute, wanted: string) => {
      if (wanted.includes(ownMark)) return attribute;
      const name = wanted.replace(/^h-/, '');
      const isFree = name === wanted && !taken.has(name);
      const id = isFree ? name : ids(anchorPrefix + name);
      taken.add(id);
      addFirst(declared, withoutEntities(name).normalize(), id);
      return ` id="${id}"`;
    }),
  );
  const slugs = uniqueNames(1);
  const bySlug = new Map<string, string>();
  const byOwnId = new Map<string, string>();
  const withHeadings = withDeclared.replace(
    /(<a id="h-[^"]*"><\/a>(?:<\/p>)?\s*)?<h([2-6])([^>]*)>(.*?)<\/h\2>/gs,
    (_, before = '', level: string, attributes: string, inner: string) => {
      const text = inner.replace(/<[^>]*>/g, '').trim();
      const natural = anchorPrefix + wordsOf(text);
      const [, given] = / id="([^"]*)"/.exec(attributes) ?? [];
      const [, markdownText] = markedText.exec(attributes) ?? [];
      // Before headings in HTML kept their ids, these had one made of their words, which was shared.
      const alias = given && markdownText === undefined && given !== natural ? ids(natural) : '';
      // An anchor at its heading that declares the heading's own id leaves it to the heading.
      const isTaken = !given && (before + inner).startsWith(`<a id="${natural}"></a>`);
      const id = given ?? (isTaken ? natural : ids(natural));
      addFirst(bySlug, slugs(githubSlug(withoutEntities(markdownText ?? text))), id);
      addFirst(byOwnId, alias || (given ? natural : id), id);
      const heading = `<h${level} id="${id}">${alias && `<a id="${alias}"></a>`}`;
      if (!isTaken) return `${before}${heading}${inner}</h${level}>`;
      const anchor = ` id="${natural}"`;
      return `${before.replace(anchor, '')}${heading}${before ? inner : inner.replace(anchor, '')}</h${level}>`;
    },
  );
  const idOf = (fragment: string) => {
    const name = decodedPath(fragment).normalize().replace(/\s+/g, '-');
    const own = (id: string) => byOwnId.get(id);
    return declared.get(name) ?? bySlug.get(name) ?? own(name) ?? own(anchorPrefix + name) ?? null;
  };
  const html = withHeadings.replace(
    /(<a [^>]*?href="#)([^"]+)"/g,
    (link, before: string, fragment: string) => {
      const id = fragment.includes(ownMark) ? null : idOf(withoutEntities(fragment));
      return id === null ? link : `${before}${encodeURIComponent(withoutEntities(id))}"`;
    },
  );
  return { html: html.replace(anyMarkedText, '').replaceAll(`-${ownMark}-`, ''), idOf };
}

/** Ids of footnotes and tasks that the renderer made. */
const madeId = new RegExp(` id="([a-z-]*)-${ownMark}-([^"]*)"`, 'g');

const markedText = new RegExp(` ${headingText}="${ownMark}([^"]*)"`);
const anyMarkedText = new RegExp(markedText, 'g');

function addFirst(ids: Map<string, string>, name: string, id: string) {
  if (!ids.has(name)) ids.set(name, id);
}

/**
 * Returns a function that makes names unique: the first repetition ends with `-{first}`, and numbers that are taken are
 * skipped. All calls together take linear time, since only one base can lead to a given taken name.
 */
function uniqueNames(first: number): (base: string) => string {
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return (base) => {
    let name = base;
    let number = next.get(base) ?? first;
    while (taken.has(name)) name = `${base}-${number++}`;
    next.set(base, number);
    taken.add(name);
    return name;
  };
}

const wordsOf = (text: string) =>
  text
    .replace(/&[^;\s]+;/g, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .slice(0, maxIdLength)
    .toWellFormed()
    .replace(/^-+|-+$|\ufffd/g, '') || 'part';

/** Anchor of a heading on GitHub, before it is counted. */
const githubSlug = (text: string) =>
  text
    .trim()
    .normalize()
    .toLowerCase()
    .replace(/[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
