import { cutText } from '../contract/cut-text.ts';
import { textsOnPages } from '../contract/limits.ts';
import { plainParagraphs } from './plain-paragraphs.ts';

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
