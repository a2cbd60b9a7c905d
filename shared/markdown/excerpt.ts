import { cutText } from '../contract/cut-text.ts';
import { textsOnPages } from '../contract/limits.ts';
import { oneLine } from '../i18n/fit-text.ts';
import { markdownTokens, withoutEntities } from './to-html.ts';

/**
 * Number of characters in which an excerpt is searched, and a second limit if the first paragraph is longer. Parsing a
 * long body would take longer than rendering the page around it.
 */
const reaches = [1_000, textsOnPages.beginning] as const;

/** Maximum length of an excerpt that any page shows, in characters. */
const maxLength = 500;

/** Returns the first paragraph of a body as plain text; empty if the body has none. */
export function excerpt(content: string): string {
  let first = '';
  for (const reach of reaches) {
    const paragraphs = plainParagraphs(beginningOf(content, reach));
    first = paragraphs[0] ?? '';
    if (paragraphs.length > 1 || first.length > maxLength || content.length <= reach) break;
  }
  return first;
}

/**
 * Returns the first paragraphs of a body as plain text; empty if it has none. The last one ends with an ellipsis if
 * more follows.
 */
export function firstParagraphs(content: string): string[] {
  const [, reach] = reaches;
  const paragraphs = plainParagraphs(beginningOf(content, reach));
  const last = paragraphs.at(-1);
  if (last === undefined || content.length <= reach) return paragraphs;
  return [...paragraphs.slice(0, -1), `${last.replace(/ \S*$/, '')} …`];
}

/**
 * Returns the beginning of a body without a link, tag or character that the cut splits, because its rest would be read
 * as text.
 */
function beginningOf(content: string, length: number): string {
  if (content.length <= length) return content;
  return withoutCutTag(withoutCutLink(cutText(content, length)));
}

function withoutCutLink(text: string): string {
  const address = text.lastIndexOf('](');
  const isCut = address >= 0 && !/[)\s]/.test(text.slice(address));
  return isCut ? text.slice(0, text.lastIndexOf('[', address)).replace(/!$/, '') : text;
}

function withoutCutTag(text: string): string {
  const start = text.lastIndexOf('<');
  // Skip complete tags, because the pattern takes quadratic time for them.
  const isOpen = start > text.lastIndexOf('>');
  return isOpen && cutTag.test(text.slice(start)) ? text.slice(0, start) : text;
}

/** Beginning of a tag or comment: a tag name, possibly with a partial attribute; a tag with an attribute; a comment. */
const cutTag = /^<(\/?([a-z][\w-]*(\s+[\w-]*)?)?|[a-z][\w-]*\s[^>]*=[^>]*|![^>]*)$/i;

/**
 * Returns the paragraphs of a body as plain text, one line each. Markup, headings, images, tables, footnotes and code
 * blocks are omitted. A list is one paragraph.
 */
export function plainParagraphs(content: string): string[] {
  const paragraphs: string[] = [];
  let pieces: string[] = [];
  let skippedUntil = '';
  for (const token of markdownTokens(content)) {
    const { type, level, nesting } = token;
    if (type === 'footnote_block_open') break;
    if (type === skippedUntil) skippedUntil = '';
    if (skipped.has(type)) skippedUntil = type.replace('open', 'close');
    if (skippedUntil) continue;
    if (type === 'inline') pieces.push(textOf(token));
    if (type === 'html_block') paragraphs.push(...paragraphsOfHtml(token.content));
    if (level > 0 || nesting > 0 || pieces.length === 0) continue;
    paragraphs.push(pieces.map(oneLine).join(type.endsWith('list_close') ? ' · ' : ' '));
    pieces = [];
  }
  return paragraphs.map(oneLine).filter(Boolean);
}

const skipped = new Set(['heading_open', 'table_open', 'figure_open']);

type Token = ReturnType<typeof markdownTokens>[number];

const textOf = ({ children }: Token): string => (children ?? []).map(inlineText).join('');

function inlineText({ type, content }: Token): string {
  if (type === 'text' || type === 'code_inline') return content;
  return type.endsWith('break') || /^<br\b/i.test(content) ? ' ' : '';
}

/** Converts HTML to paragraphs. A tag that the end of the text cuts is omitted. */
const paragraphsOfHtml = (html: string): string[] =>
  html
    .replace(/<!--[\s\S]*?(-->|$)|<(script|style|h[1-6]|table|pre|figcaption)\b[\s\S]*?(<\/\2>|$)/gi, ' ')
    .replace(/<\/?(p|div|li|ul|ol|section|blockquote)\b/gi, '\n\n$&')
    .replace(/<[^<>]*(>|$)/g, (tag) => (/^<br\b/i.test(tag) ? ' ' : ''))
    .split(/\n\s*\n/)
    .map(withoutEntities);
