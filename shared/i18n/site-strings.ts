import { de } from './de.ts';
import { en, type SiteStrings } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pt } from './pt.ts';

/** String tables, keyed by the language of a BCP 47 tag. */
const tables: ReadonlyMap<string, SiteStrings> = new Map(
  [en, de, es, fr, it, ja, nl, pt].map((strings) => [strings.language, strings]),
);

/** Languages with a string table. */
export const languages: readonly string[] = [...tables.keys()];

const tableOf = (language: string) => tables.get(language.split('-', 1)[0]?.toLowerCase() ?? '');

/**
 * Returns the strings of a language in any region: `de-AT` uses those of `de`. Languages without a table use English.
 */
export const siteStrings = (language: string): SiteStrings => tableOf(language) ?? en;

/**
 * Returns the strings of the first supported language in an `Accept-Language` header, such as `fr-CH, fr;q=0.9,
 * en;q=0.8`; English if none is supported.
 */
export const stringsForHeader = (accepted = ''): SiteStrings =>
  accepted
    .slice(0, 200)
    .split(',')
    .map((part) => tableOf(part.split(';', 1)[0]?.trim() ?? ''))
    .find(Boolean) ?? en;
