import { type RawBuilder, sql } from 'kysely';
import type { StoreDeps } from '../../api/deps.ts';
import { withoutMarks } from '../../api/search-text.ts';

/** Words that somebody looks for, and those that are not to be there; what is in quotes is one, in its order. */
interface Terms {
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
const isWord = (term: string) => /^[\p{L}\p{M}]{3,40}$/u.test(term);

type Query = RawBuilder<unknown>;

/** What is looked for, and what an index finds of it without reading texts: all that has the words, in whatever order. */
export interface SearchedWords {
  exact: Query;
  loose: Query;
}

/** What is looked for, from the strictest to the widest. */
export interface Wanted {
  exact: SearchedWords;
  /** All words, in any of their forms; null where they have no others. */
  forms: SearchedWords | null;
  /** Some of several words; null for a single one. */
  some: SearchedWords | null;
  /** All that any of these finds. */
  widest: SearchedWords;
  /** Whether there is a word that is not to be there. */
  excludes: boolean;
  /** Whether texts have to be read for it: an index has words, not their order. */
  readsTexts: boolean;
  /** What is marked in snippets: each as the words that follow one another in it. */
  marked: string[];
}

/** Text in which letters have no accents, as an index of words has it. */
export const folded = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`without_accents(${text})`;

/** How the words that somebody looks for are asked of an index. Their forms are those of the site's language. */
export async function wantedOf(deps: StoreDeps, siteId: string, terms: Terms): Promise<Wanted> {
  const forms = await formsOf(deps, siteId, terms.wanted.filter(isWord));
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

const phrase = (term: string): SearchedWords => ({
  exact: sql`phraseto_tsquery('simple', ${folded(sql`${term}`)})`,
  loose: sql`plainto_tsquery('simple', ${folded(sql`${term}`)})`,
});

/** Loosely nothing where it is several words, which may be there in another order. */
type Part = Pick<SearchedWords, 'exact'> & { loose: Query | null };

const lacking = (term: string): Part => {
  const exact = sql`!! ${phrase(term).exact}`;
  return { exact, loose: isSingle(term) ? exact : null };
};

/** What is one word for an index, too. */
const isSingle = (term: string) => /^[\p{L}\p{M}\p{N}]+$/u.test(term);

function joined(parts: readonly Part[], by: '&&' | '||'): SearchedWords {
  const exact = parts.map((part) => part.exact);
  const loose = parts.flatMap((part) => part.loose ?? []);
  return { exact: joinedQueries(exact, by), loose: joinedQueries(loose, by) };
}

const joinedQueries = (queries: readonly Query[], by: '&&' | '||'): Query =>
  sql`(${sql.join(queries, sql.raw(` ${by} `))})`;

/** Forms are letters alone, which nothing in a query's own language is. */
const anyOf = (forms: readonly string[] | undefined): SearchedWords | undefined => {
  if (!forms) return undefined;
  const any = sql`to_tsquery('simple', ${folded(sql`${forms.map((form) => `'${form}'`).join(' | ')}`)})`;
  return { exact: any, loose: any };
};

/** The words that have other forms than they are written in, with all of these. */
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

/** PostgreSQL's dictionary of word stems for a language, as versions 15 to 18 have them alike; null where it has none. */
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
 * What words end in. Which forms of a word there are is for the stems of its language to say: of the word and its stem with
 * each of these, those with the same stem. So a list for all languages leads to no false form, and one that it lacks is
 * only found as it is written.
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
