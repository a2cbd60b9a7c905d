/** Words that somebody looks for, and those that are not to be there; what is in quotes is one, in its order. */
export interface Terms {
  wanted: string[];
  unwanted: string[];
}

/** A longer question is answered by what it begins with: each word costs time. */
const mostTerms = 12;

/** Reads what somebody typed: any text is one that can be looked for. A quotation mark without another counts to the end. */
export function termsOf(q: string): Terms {
  const terms: Terms = { wanted: [], unwanted: [] };
  for (const [, minus, quoted, word] of q.matchAll(/(-?)(?:"([^"]*)"?|([^\s"]+))/g)) {
    const text = (quoted ?? word ?? '').trim();
    const { wanted, unwanted } = terms;
    if (wanted.length + unwanted.length === mostTerms) break;
    if (/[\p{L}\p{N}]/u.test(text)) (minus ? unwanted : wanted).push(text);
  }
  return terms;
}

/** Of a word that has forms; of several, numbers and the like there is only what is written. */
export const isWord = (term: string) => /^[\p{L}\p{M}]{3,40}$/u.test(term);

/** How much of what somebody typed a title has in it, from 0 to 1: by groups of three letters, as `pg_trgm` compares. */
export function likenessTo(typed: string): (title: string) => number {
  const wanted = lettersInThrees(typed);
  return (title) => {
    const there = lettersInThrees(title);
    let shared = 0;
    for (const three of wanted) if (there.has(three)) shared += 1;
    return wanted.size === 0 ? 0 : shared / wanted.size;
  };
}

/** Of a title, in characters: taken apart, one can become eighteen. */
const mostLetters = 200;

function lettersInThrees(text: string): Set<string> {
  const threes = [...wordsIn(text.normalize('NFKD').slice(0, mostLetters))].flatMap(({ word }) => {
    const padded = `  ${word} `;
    return Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3));
  });
  return new Set(threes);
}

/** The words of a text as an index has them, one after another, and where they stand. */
export function* wordsIn(text: string): Generator<{ word: string; begin: number; end: number }, undefined> {
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu))
    yield { word: withoutAccents(word).toLowerCase(), begin: index, end: index + word.length };
}

/** As the function of this name in the database. */
export const withoutAccents = (text: string): string =>
  /^[\0-\x7f]*$/.test(text)
    ? text
    : text
        .normalize('NFD')
        .replace(/[\u0300-\u036f]+/g, '')
        .normalize('NFC')
        .replace(/[ØøŁłĐđıẞßÆæŒœ]/g, (letter) => plainLetters[letter] ?? letter);

const plainLetters: Readonly<Record<string, string>> = {
  Ø: 'O',
  ø: 'o',
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  ı: 'i',
  ẞ: 'SS',
  ß: 'ss',
  Æ: 'AE',
  æ: 'ae',
  Œ: 'OE',
  œ: 'oe',
};
