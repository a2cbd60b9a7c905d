import { oneLine } from '../one-line.ts';
import { markdownTokens, withoutEntities } from './to-html.ts';

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
