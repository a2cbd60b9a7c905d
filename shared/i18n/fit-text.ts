import { cutText } from '../contract/cut-text.ts';

/**
 * Shortens a text to about `maxLength` UTF-16 units, between words, and appends an ellipsis. Splits a word only if it is
 * longer than the limit. A text within the limit is returned unchanged.
 */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const blank = text.lastIndexOf(' ', maxLength);
  // Some languages do not use spaces. If the last space is far away, find word boundaries by segmentation.
  const [end, gap] = blank > maxLength / 2 ? [blank, ' '] : [lastWordEnd(text, maxLength), ''];
  return `${text.slice(0, end).replace(/[\s,;:.、。，；：．،؛۔]+$/, '')}${gap}…`;
}

function lastWordEnd(text: string, maxLength: number): number {
  // Segment beyond the limit, so that the cut itself is not taken for a word boundary.
  const pieces = [
    ...new Intl.Segmenter('en', { granularity: 'word' }).segment(text.slice(0, maxLength + 50)),
  ];
  const last = pieces.findLast(({ index }) => index > 0 && index <= maxLength);
  if (last && last.index > maxLength / 2) return last.index;
  return cutText(text, maxLength).length;
}

/** Returns a text as one line: each run of white space becomes one space, and outer white space is removed. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
