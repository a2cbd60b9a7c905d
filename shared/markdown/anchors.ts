import { randomUUID } from 'node:crypto';
import type { MarkdownIt } from 'markdown-it';
import { withoutEntities } from '../content/sanitized-html.ts';
import { decodedPath } from '../contract/site-paths.ts';

/**
 * Prefix of the IDs of headings, and of IDs that a body declares. No ID of the page itself begins with it, so that a
 * body cannot replace an element of the page.
 */
export const anchorPrefix = 'h-';

/**
 * Part of the IDs that the renderer creates, until a body is finished. A body cannot contain it. This distinguishes IDs
 * of footnotes and tasks from IDs that a body declares.
 */
export const ownMark = randomUUID();

/** Maximum length of an ID that is derived from a heading's text. */
const maxIdLength = 60;

/** Attribute of headings that were written in Markdown: their text before typographic replacements. */
export const headingText = 'data-heading';

interface AnchoredBody {
  /** HTML in which each ID is unique and each heading has one. Links within the body refer to them. */
  html: string;
  /** Returns the ID that a fragment without its `#` refers to; null if there is none. */
  idOf(fragment: string): string | null;
}

/**
 * Adds rules to a Markdown parser. A heading that ends with `{#id}` declares that ID. Each heading also gets its original
 * text as an attribute. GitHub derives its anchors from the text before dashes and quotation marks are replaced.
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
 * Adds an ID to each heading of a sanitized body, and makes all IDs unique.
 *
 * A link `#x` within the body is rewritten to the first match. Candidates are the declared ID `x`, the heading with the
 * GitHub anchor `x`, and the heading with the ID `x` or `h-x`.
 */
export function withAnchors(sanitized: string): AnchoredBody {
  const ids = uniqueNames(2);
  const declared = new Map<string, string>();
  // Declared IDs come first, because their authors chose them. IDs of headings can get a number instead.
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
      const natural = anchorPrefix + splitWords(text);
      const [, given] = / id="([^"]*)"/.exec(attributes) ?? [];
      const [, markdownText] = prefixedText.exec(attributes) ?? [];
      // Earlier versions derived the ID of an HTML heading from its text, and readers may have shared that link.
      const alias = given && markdownText === undefined && given !== natural ? ids(natural) : '';
      // A heading without an ID gets the ID that is derived from its text. If an anchor directly before it or at its
      // beginning already has that ID, the ID moves from the anchor to the heading.
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

/** IDs of footnotes and tasks that the renderer created. */
const madeId = new RegExp(` id="([a-z-]*)-${ownMark}-([^"]*)"`, 'g');

const prefixedText = new RegExp(` ${headingText}="${ownMark}([^"]*)"`);
const anyMarkedText = new RegExp(prefixedText, 'g');

function addFirst(ids: Map<string, string>, name: string, id: string) {
  if (!ids.has(name)) ids.set(name, id);
}

/**
 * Returns a function that makes names unique: the first repetition ends with `-{first}`, and taken numbers are skipped.
 * All calls together take linear time, because only one base can result in a given name.
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

const splitWords = (text: string) =>
  text
    .replace(/&[^;\s]+;/g, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .slice(0, maxIdLength)
    .toWellFormed()
    .replace(/^-+|-+$|\ufffd/g, '') || 'part';

/** Returns the anchor of a heading on GitHub, before a number is added. */
const githubSlug = (text: string) =>
  text
    .trim()
    .normalize()
    .toLowerCase()
    .replace(/[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
