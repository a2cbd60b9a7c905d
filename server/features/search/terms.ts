import { withoutMarks, wordsIn } from '../../kernel/search-text.ts';

/** Words that somebody looks for, and those that are not to be there; what is in quotes is one, in its order. */
export interface Terms {
  wanted: string[];
  unwanted: string[];
}

/** A longer question is answered by what it begins with: each word costs time. */
const mostTerms = 12;

/** Reads a query: any text is one. A quotation mark without another counts to the end. Typographic marks are those of ASCII, or spaces. */
export function termsOf(q: string): Terms {
  const terms: Terms = { wanted: [], unwanted: [] };
  for (const [, minus, quoted, word] of withoutMarks(q).matchAll(/(-?)(?:"([^"]*)"?|([^\s"]+))/g)) {
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
