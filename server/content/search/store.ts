import { type SqlBool, sql } from 'kysely';
import type { Found, SearchedCollection, SearchResults } from '../../../shared/contract/features/search.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { pageOf, sitePaths } from '../../../shared/contract/site-paths.ts';
import { wordsIn } from '../../api/search-text.ts';
import type { SiteScope } from '../../api/transaction.ts';
import { type Hit, newestOf } from './find.ts';
import { findBest } from './rank.ts';
import { type SearchQueries, termsOf, wantedOf } from './search-terms.ts';
import { openText, snippetOf } from './snippets.ts';

type HitId = Pick<Hit, 'type' | 'id'>;

/**
 * Searches public records by the text that every visitor may read, and returns at most `limit`, the best first. If none
 * matches, it returns records with similar titles, and `nearest` is true. Empty if the query has no words. Throws
 * `DatabaseBusyError` if too many searches are waiting.
 */
export const searchOpen = (
  { deps, siteId }: SiteScope,
  q: string,
  types: readonly SearchedCollection[],
  limit: number,
): Promise<SearchResults> =>
  deps.database.quotas.searches(siteId, async () => {
    const site = { deps, siteId };
    const terms = termsOf(q);
    if (terms.wanted.length === 0) return { data: [], nearest: false };
    const wanted = await wantedOf(deps, siteId, terms);
    const hits = await findBest(site, { types, limit, wanted });
    if (hits.length > 0) return { data: await describe(site, hits, wanted.marked), nearest: false };
    if (wanted.excludes) return { data: [], nearest: false };
    const alike = await findAlike(site, types, limit, terms.wanted.join(' '));
    return { data: await describe(site, alike, wanted.marked), nearest: alike.length > 0 };
  });

/** Maximum number of titles per collection that are compared for suggestions; the newest. */
const maxTitles = 500;

/** Minimum similarity of a suggested title. */
const minSimilarity = 0.4;

const maxSimilar = 5;

/** Finds the titles that are most similar to the query. */
async function findAlike(
  { deps, siteId }: SiteScope,
  types: readonly SearchedCollection[],
  limit: number,
  q: string,
): Promise<HitId[]> {
  const newest = types.map(
    (type) => sql`(select ${type}::text as type, id, left(title, 100) as title from (
      ${newestOf(type, siteId, maxTitles)}
    ) newest)`,
  );
  const { rows } = await sql<HitId & { title: string }>`${sql.join(newest, sql` union all `)}`.execute(
    deps.database.em.getKysely(),
  );
  const likeness = likenessTo(q);
  return rows
    .map((hit) => ({ hit, alike: likeness(hit.title) }))
    .filter(({ alike }) => alike >= minSimilarity)
    .sort((one, other) => other.alike - one.alike)
    .slice(0, Math.min(limit, maxSimilar))
    .map(({ hit }) => hit);
}

/**
 * Returns a function that returns the similarity of a title to the query, from 0 to 1: the share of the query's trigrams
 * that it contains, as in `pg_trgm`.
 */
function likenessTo(typed: string): (title: string) => number {
  const wanted = lettersInThrees(typed);
  return (title) => {
    const there = lettersInThrees(title);
    let shared = 0;
    for (const three of wanted) if (there.has(three)) shared += 1;
    return wanted.size === 0 ? 0 : shared / wanted.size;
  };
}

/** Maximum length of a compared text after normalization, in characters. Normalization can turn one character into eighteen. */
const maxLetters = 200;

function lettersInThrees(text: string): Set<string> {
  const threes = [...wordsIn(text.normalize('NFKD').slice(0, maxLetters))].flatMap(({ word }) => {
    const padded = `  ${word} `;
    return Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3));
  });
  return new Set(threes);
}

/** Adds title, address and snippet to hits. Records that are no longer public are dropped. */
async function describe(
  { deps, siteId }: SiteScope,
  hits: readonly HitId[],
  marked: SearchQueries['marked'],
): Promise<Found[]> {
  const types = [...new Set(hits.map(({ type }) => type))];
  if (types.length === 0) return [];
  const parts = types.map((type) => {
    const ids = hits.filter((hit) => hit.type === type).map(({ id }) => id);
    const slug = 'slug' in resources[type].fields ? sql`slug` : sql`null::text`;
    return sql`select ${type}::text as type, id, title, ${slug} as slug, ${openText[type]} as text
      from ${sql.table(type)} where site_id = ${siteId} and id = any(${ids}::text[]) and ${sql<SqlBool>`is_public`}`;
  });
  const { rows } = await sql<
    Omit<Found, 'url' | 'snippet'> & { text: string }
  >`${sql.join(parts, sql` union all `)}`.execute(deps.database.em.getKysely());
  const snippet = snippetOf(marked);
  const byKey = new Map(rows.map((row) => [`${row.type} ${row.id}`, row]));
  return hits.flatMap(({ type, id }) => {
    const row = byKey.get(`${type} ${id}`);
    if (!row) return [];
    const { text, ...found } = row;
    return [{ ...found, url: addressOf(found), snippet: snippet(text) }];
  });
}

const addressOf = ({ type, slug }: Pick<Found, 'type' | 'slug'>) =>
  (slug !== null && pageOf(resources[type].name, slug)) || sitePaths[type === 'pages' ? 'home' : type];
