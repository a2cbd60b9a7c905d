import { cutText } from '../contract/cut-text.ts';
import { textsOnPages } from '../contract/limits.ts';
import { oneLine } from '../i18n/fit-text.ts';
import { markdownTokens, withoutEntities } from './to-html.ts';

/**
 * How far into a body its excerpt is looked for, and how far where it does not end before: reading all of a long one
 * would take longer than the page around it.
 */
const reaches = [1_000, textsOnPages.beginning] as const;

/** Most of an excerpt that anybody shows. */
const longest = 500;

/** The first paragraph of a body as plain text. */
export function excerpt(content: string): string {
  let first = '';
  for (const reach of reaches) {
    const paragraphs = plainParagraphs(beginningOf(content, reach));
    first = paragraphs[0] ?? '';
    if (paragraphs.length > 1 || first.length > longest || content.length <= reach) break;
  }
  return first;
}

/** The paragraphs that a body begins with, as plain text; the last of them says whether more follows. */
export function firstParagraphs(content: string): string[] {
  const [, reach] = reaches;
  const paragraphs = plainParagraphs(beginningOf(content, reach));
  const last = paragraphs.at(-1);
  if (last === undefined || content.length <= reach) return paragraphs;
  return [...paragraphs.slice(0, -1), `${last.replace(/ \S*$/, '')} …`];
}

/** Without what the end cuts, be it a link, a tag or a character: a piece of it would be read as text. */
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
  // What ends is not cut; asking the pattern for that takes quadratic time.
  const isOpen = start > text.lastIndexOf('>');
  return isOpen && cutTag.test(text.slice(start)) ? text.slice(0, start) : text;
}

/** A name, perhaps with the first letters of an attribute; a tag with an attribute; a comment. */
const cutTag = /^<(\/?([a-z][\w-]*(\s+[\w-]*)?)?|[a-z][\w-]*\s[^>]*=[^>]*|![^>]*)$/i;

/**
 * The paragraphs of a body as plain text, each on one line: without marks, headings, pictures, tables, footnotes and
 * blocks of code. A list is one of them.
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

/** What stands between `<` and the end of a text that was cut is no text either. */
const paragraphsOfHtml = (html: string): string[] =>
  html
    .replace(/<!--[\s\S]*?(-->|$)|<(script|style|h[1-6]|table|pre|figcaption)\b[\s\S]*?(<\/\2>|$)/gi, ' ')
    .replace(/<\/?(p|div|li|ul|ol|section|blockquote)\b/gi, '\n\n$&')
    .replace(/<[^<>]*(>|$)/g, (tag) => (/^<br\b/i.test(tag) ? ' ' : ''))
    .split(/\n\s*\n/)
    .map(withoutEntities);
