import { searchMarks } from '../../shared/db/migrations/0038-search-marks.ts';

/*
 * Queries and snippets are normalized as the database function `without_accents` does with texts. A test compares both
 * for every character.
 */

/** Returns characters of a kind as part of a character class. */
const within = (kind: keyof typeof searchMarks) =>
  searchMarks[kind]
    .join(' ')
    .split(' ')
    .map((range) => range.replace(/[^-]+/g, '\\u{$&}'))
    .join('');

const joiners = new RegExp(`[${within('removed')}]+`, 'gv');
const apostrophes = new RegExp(`[${within('apostrophes')}]`, 'gv');
const marks = new RegExp(`[${within('spaces')}]+`, 'gv');
const hyphens = new RegExp(`[${within('hyphens')}]`, 'gv');
const innerHyphens = new RegExp(`(?<=[^ \\n\\t])[${within('hyphens')}](?=[^ \\n\\t0-9])`, 'gv');

const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);

/** Replaces typographic marks by spaces, and apostrophes and hyphens by their ASCII forms. Removes joiners. */
export const withoutMarks = (text: string): string =>
  isAscii(text)
    ? text
    : text
        .replace(joiners, '')
        .replace(apostrophes, "'")
        .replace(marks, ' ')
        .replace(innerHyphens, '-')
        .replace(hyphens, ' ');

export const withoutAccents = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .toLowerCase()
        .normalize('NFD')
        .replace(/[\u0300-\u036f]+/g, '')
        .normalize('NFC')
        .replace(/[øłđıßæœς]/g, (letter) => plainLetters[letter] ?? letter);

const plainLetters: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ς: 'σ',
};

const words = new RegExp(
  `[[\\p{L}\\p{M}\\p{N}${within('removed')}]--[${within('apostrophes')}${within('spaces')}]]+`,
  'gv',
);

/** Yields the words of a text as the index stores them, with their positions in the text. */
export function* wordsIn(text: string): Generator<{ word: string; begin: number; end: number }, undefined> {
  for (const { 0: written, index } of text.matchAll(words)) {
    const word = withoutAccents(written.replace(joiners, ''));
    if (word !== '') yield { word, begin: index, end: index + written.length };
  }
}
