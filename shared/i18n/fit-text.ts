import { cutText } from '../contract/cut-text.ts';

/** At most about `most` characters, cut between words; within one where it is longer than all that may stay. */
export function shortened(text: string, most: number): string {
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
  return cutText(text, most).length;
}

/** Text as one line: each run of blanks and line breaks is one blank, and none stands around it. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
