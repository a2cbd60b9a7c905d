const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns the beginning of a text, at most `max` UTF-16 units long. A character of several code points, such as an
 * emoji or a letter with accents, is included as a whole or not at all. If the first character is longer than `max`,
 * it is cut between code points.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  // The first code point after the cut decides whether a character ends before it. The rest of a long text does not
  // matter.
  const { index = 0 } = segmenter.segment(text.slice(0, max + 2)).containing(max) ?? {};
  return text.slice(0, index) || text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

/** Splits a text into characters as people count them. */
export const charactersOf = (text: string): string[] =>
  [...segmenter.segment(text)].map(({ segment }) => segment);

/**
 * Returns the first character of a text, such as the initial of a name. Empty for an empty text. Of a character with
 * more than 64 UTF-16 units, only the beginning is returned.
 */
export const firstCharacter = (text: string): string => charactersOf(cutText(text, 64))[0] ?? '';
