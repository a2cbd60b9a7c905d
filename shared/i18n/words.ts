import { de } from './de.ts';
import { en, type Words } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pt } from './pt.ts';

/** By the language that begins a tag of BCP 47. */
const tables: ReadonlyMap<string, Words> = new Map(
  [en, de, es, fr, it, ja, nl, pt].map((words) => [words.language, words]),
);

/** Those that have words. */
export const languages: readonly string[] = [...tables.keys()];

const tableOf = (language: string) => tables.get(language.split('-', 1)[0]?.toLowerCase() ?? '');

/** The words of a language, whatever its region: `de-AT` has those of `de`. One without words has those of English. */
export const wordsOf = (language: string): Words => tableOf(language) ?? en;

/** The first of the languages that has words, of a header such as `fr-CH, fr;q=0.9, en;q=0.8`; English where none has. */
export const wordsForHeader = (accepted = ''): Words =>
  accepted
    .slice(0, 200)
    .split(',')
    .map((part) => tableOf(part.split(';', 1)[0]?.trim() ?? ''))
    .find(Boolean) ?? en;
