import { type RawBuilder, sql } from 'kysely';
import type { StoreDeps } from '../../api/deps.ts';
import { withoutMarks } from '../../api/search-text.ts';

/** Search terms, and excluded ones. A phrase in quotation marks is one term. */
interface Terms {
  wanted: string[];
  unwanted: string[];
}

/** Maximum number of terms. Further ones are ignored, since each costs time. */
const maxTerms = 12;

/**
 * Parses a search query into wanted terms, and unwanted ones that follow a `-`; at most `maxTerms` together. Any text is
 * valid: one without letters and digits has no terms. An unclosed quotation mark extends to the end. Typographic quotation
 * marks count as plain ones.
 */
export function termsOf(q: string): Terms {
  const terms: Terms = { wanted: [], unwanted: [] };
  for (const [, minus, quoted, word] of withoutMarks(q).matchAll(/(-?)(?:"([^"]*)"?|([^\s"]+))/g)) {
    const text = (quoted ?? word ?? '').trim();
    const { wanted, unwanted } = terms;
    if (wanted.length + unwanted.length === maxTerms) break;
    if (/[\p{L}\p{N}]/u.test(text)) (minus ? unwanted : wanted).push(text);
  }
  return terms;
}

/** Returns whether a term may have other forms. Phrases, numbers and similar are searched as written. */
const mayHaveForms = (term: string) => /^[\p{L}\p{M}]{3,40}$/u.test(term);

type Query = RawBuilder<unknown>;

/** SQL queries for terms. The loose one ignores the order of words, so that the index can answer it without reading texts. */
export interface TermQueries {
  exact: Query;
  loose: Query;
}

/** Queries of a search, from the strictest to the widest. */
export interface SearchQueries {
  exact: TermQueries;
  /** All terms, each in any of its forms; null if none has other forms. */
  forms: TermQueries | null;
  /** At least one of several terms; null for a single term. */
  some: TermQueries | null;
  /** Matches everything that the other queries match. */
  widest: TermQueries;
  /** True if there is an excluded term. */
  excludes: boolean;
  /** True if texts must be read for word order, which the index does not store. */
  readsTexts: boolean;
  /** Terms to highlight in snippets, in all their forms. */
  marked: string[];
}

/** SQL: text without accents, as in the search index. */
export const folded = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`without_accents(${text})`;

/** Returns the search queries, as SQL, for the terms of a query. Terms also match their other forms in the site's language. */
export async function wantedOf(deps: StoreDeps, siteId: string, terms: Terms): Promise<SearchQueries> {
  const forms = await formsOf(deps, siteId, terms.wanted.filter(mayHaveForms));
  const without = terms.unwanted.map(lacking);
  const exact = terms.wanted.map(phrase);
  const inForms = terms.wanted.map((term) => anyOf(forms.get(term)) ?? phrase(term));
  const hasForms = terms.wanted.some((term) => forms.has(term));
  const all = joined([...inForms, ...without], '&&');
  const some = exact.length > 1 ? joined([joined(inForms, '||'), ...without], '&&') : null;
  return {
    exact: joined([...exact, ...without], '&&'),
    forms: hasForms ? all : null,
    some,
    widest: some ?? all,
    excludes: without.length > 0,
    readsTexts: ![...terms.wanted, ...terms.unwanted].every(isSingle),
    marked: terms.wanted.flatMap((term) => forms.get(term) ?? term),
  };
}

const phrase = (term: string): TermQueries => ({
  exact: sql`phraseto_tsquery('simple', ${folded(sql`${term}`)})`,
  loose: sql`plainto_tsquery('simple', ${folded(sql`${term}`)})`,
});

/** Query for an excluded term. It has no loose form for several words, which may occur in another order. */
type Part = Pick<TermQueries, 'exact'> & { loose: Query | null };

const lacking = (term: string): Part => {
  const exact = sql`!! ${phrase(term).exact}`;
  return { exact, loose: isSingle(term) ? exact : null };
};

/** Returns whether a term is a single word for the index, too. */
const isSingle = (term: string) => /^[\p{L}\p{M}\p{N}]+$/u.test(term);

function joined(parts: readonly Part[], by: '&&' | '||'): TermQueries {
  const exact = parts.map((part) => part.exact);
  const loose = parts.flatMap((part) => part.loose ?? []);
  return { exact: joinedQueries(exact, by), loose: joinedQueries(loose, by) };
}

const joinedQueries = (queries: readonly Query[], by: '&&' | '||'): Query =>
  sql`(${sql.join(queries, sql.raw(` ${by} `))})`;

/**
 * Returns the queries that match any of these forms of a word; undefined without forms. Forms consist of letters, so
 * they need no escaping in a query.
 */
const anyOf = (forms: readonly string[] | undefined): TermQueries | undefined => {
  if (!forms) return undefined;
  const any = sql`to_tsquery('simple', ${folded(sql`${forms.map((form) => `'${form}'`).join(' | ')}`)})`;
  return { exact: any, loose: any };
};

/** Finds the forms of words, for words that have others. */
async function formsOf(deps: StoreDeps, siteId: string, words: readonly string[]) {
  if (words.length === 0) return new Map<string, string[]>();
  const db = deps.database.em.getKysely();
  const site = await db.selectFrom('sites').select('language').where('id', '=', siteId).executeTakeFirst();
  const stems = stemsOf(site?.language ?? 'en');
  if (!stems) return new Map<string, string[]>();
  const stem = (word: RawBuilder<unknown>) => sql`(ts_lexize(${stems}::text::regdictionary, ${word}))[1]`;
  const { rows } = await sql<{ word: string; forms: string[] }>`
    select word, array(
      select distinct base || ending
      from unnest(array[lower(word), stem, stem || right(stem, 1), regexp_replace(stem, 'i$', 'y'), regexp_replace(lower(word), '.$', '')]) base,
        unnest(${endings}::text[]) ending
      where ${stem(sql`base || ending`)} = stem
    ) as forms
    from (select word, ${stem(sql`lower(word)`)} as stem from unnest(${words}::text[]) word) stemmed
    where stem is not null`.execute(db);
  const several = rows.filter(({ forms }) => forms.length > 1);
  return new Map(several.map(({ word, forms }) => [word, [...new Set([word.toLowerCase(), ...forms])]]));
}

/** Returns the name of PostgreSQL's stemming dictionary for a language, in versions 15 to 18; null if it has none. */
function stemsOf(language: string): string | null {
  const name = dictionaries[new Intl.Locale(language).language];
  return name ? `${name}_stem` : null;
}

const dictionaries: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};

/**
 * Endings of words in all languages. A form is a word or its stem with one of these endings, if the site's stemmer maps it to
 * the same stem. A wrong ending therefore adds no false form. Forms with an ending that is missing here are not found.
 */
const endings: readonly string[] = [
  ...['', 's', 'es', 'ed', 'd', 'ing', 'er', 'ers', 'ly', 'y', 'ies', 'ied'],
  ...['e', 'en', 'ern', 'em', 'n', 't', 'te', 'st', 'et', 'ten', 'innen', 'in', 'se', 'ung', 'ungen'],
  ...['é', 'ée', 'és', 'ées', 'ez', 'ent', 'ait', 'ons', 'x', 'ux', 'aux', 'le', 'nt', 'r', 'nte'],
  ...['a', 'o', 'as', 'os', 'i', 'ar', 'ir', 'ado', 'ada', 'ando', 'ões', 'ais', 'are', 'ere', 'ato', 'ano'],
  ...['ene', 'ar', 'or', 'arna', 'orna', 'ene', 'et', 'it', 'ot', 'ut', 'lar', 'ler', 'ları', 'leri'],
  ...['а', 'ы', 'и', 'у', 'е', 'ой', 'ом', 'ов', 'ам', 'ами', 'ах', 'ый', 'ая'],
  ...['ое', 'ые', 'ого', 'ть', 'л', 'ла'],
];
