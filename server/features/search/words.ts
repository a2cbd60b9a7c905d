import { type RawBuilder, sql } from 'kysely';
import type { StoreDeps } from '../../kernel/deps.ts';
import { endings, stemsOf } from './languages.ts';
import { isWord, type Terms } from './terms.ts';

/** A `tsquery`. */
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
