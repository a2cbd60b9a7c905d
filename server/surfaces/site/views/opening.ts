import { plainParagraphs } from '../../../features/bodies/render.ts';

/**
 * How far into a body its opening is looked for, and how far where it does not end before: reading all of a long one
 * would take longer than the page around it.
 */
const reaches = [1_000, 8_000] as const;

/** The first paragraph of a body as plain text, at most about `most` characters long. */
export function opening(content: string, most = 200): string {
  let first = '';
  for (const reach of reaches) {
    const paragraphs = plainParagraphs(beginningOf(content, reach));
    first = paragraphs[0] ?? '';
    if (paragraphs.length > 1 || first.length > most || content.length <= reach) break;
  }
  return shortened(first, most);
}

/** The paragraphs that a body begins with, as plain text; the last of them says whether more follows. */
export function openingParagraphs(content: string): string[] {
  const [, reach] = reaches;
  const paragraphs = plainParagraphs(beginningOf(content, reach));
  const last = paragraphs.at(-1);
  if (last === undefined || content.length <= reach) return paragraphs;
  return [...paragraphs.slice(0, -1), `${last.replace(/ \S*$/, '')} …`];
}

/** Without what the end cuts, be it a link, a tag or a character: a piece of it would be read as text. */
function beginningOf(content: string, length: number): string {
  if (content.length <= length) return content;
  return withoutCutTag(withoutCutLink(content.slice(0, length).replace(/[\ud800-\udbff]$/, '')));
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

/** Cut between words; within one where it is longer than all that may stay. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const blank = text.lastIndexOf(' ', most);
  // Several languages are written without blanks: where the last one is far away, the words have to be told apart.
  const [end, gap] = blank > most / 2 ? [blank, ' '] : [lastWordEnd(text, most), ''];
  return `${text.slice(0, end).replace(/[\s,;:.、。，；：．،؛۔]+$/, '')}${gap}…`;
}

function lastWordEnd(text: string, most: number): number {
  // Longer than what may stay, so that its end is no end of a word.
  const pieces = [...new Intl.Segmenter('en', { granularity: 'word' }).segment(text.slice(0, most + 50))];
  const last = pieces.findLast(({ index }) => index > 0 && index <= most);
  if (last && last.index > most / 2) return last.index;
  // Never between the two halves of a character.
  return text.charCodeAt(most) >> 10 === 0x37 ? most - 1 : most;
}
