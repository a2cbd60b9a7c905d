import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { SearchedCollection } from '../../../shared/contract/features/search.ts';
import type { SiteScope } from '../../api/transaction.ts';
import { folded, type TermQueries } from './search-terms.ts';

/** Words that must be in the title, in the open text, or in both. */
export interface FieldQueries {
  title?: TermQueries;
  text?: TermQueries;
}

export interface Hit {
  type: SearchedCollection;
  id: string;
  /** Date of the record, in milliseconds since 1970. */
  at: number;
}

/** Hit with the index of the first search tier that contains it, from 0 for the best. */
export interface RankedHit extends Hit {
  rank: number;
}

type Types = readonly SearchedCollection[];

const created = sql`created`;

/** Date by which records of a collection are sorted. */
const timestamps: Readonly<Record<SearchedCollection, RawBuilder<unknown>>> = {
  posts: sql`coalesce(published_at, created)`,
  projects: created,
  courses: created,
  talks: created,
  pages: created,
};

/** Maximum size of the search vectors that a scan reads for word order, in bytes. The newest one is always read. */
const maxReadBytes = 16_000_000;

export interface ScannedRecord extends Hit {
  /** Index of the first search tier that the record matches, from 0 for the best; null if it matches none. */
  rank: number | null;
  /**
   * For each search tier, true if the record has the words of the tier in any order. Empty if word order does not
   * matter.
   */
  loosely: (boolean | null)[];
  is_read: boolean;
}

/**
 * SQL query of the `newest` latest public records of a collection, by its list index. The limit is a subquery, so that
 * PostgreSQL chooses this plan whatever its statistics are.
 */
export const newestOf = (type: SearchedCollection, siteId: string, newest: number) => sql`
  select id, ${timestamps[type]} as at, title, search from ${sql.table(type)}
  where site_id = ${siteId} collate "POSIX" and is_public order by ${timestamps[type]} desc, id desc limit (select ${sql.lit(newest)})`;

/**
 * Reads the `newest` latest records of each collection, with the search tier of each; null for a record that matches none.
 * `readsTexts` is explained in `SearchQueries`.
 */
export async function rankNewest(
  { deps, siteId }: SiteScope,
  types: Types,
  tiers: readonly FieldQueries[],
  newest: number,
  readsTexts: boolean,
): Promise<ScannedRecord[]> {
  // Concatenation decompresses a vector once, instead of once per search tier.
  const isRead = sql`size - pg_column_size(search) < ${sql.lit(maxReadBytes)}`;
  const inAnyOrder = readsTexts ? tiers : [];
  const parts = types.map(
    (type) => sql`(
      with scan as materialized (
        select id, at, title, search, sum(pg_column_size(search)) over (order by at desc, id desc) as size from (
          ${newestOf(type, siteId, newest)}
        ) newest
      ), texts as materialized (
        select id, at, title, ${isRead} as is_read, case when ${isRead} then search || ''::tsvector end as search from scan
      )
      select ${type}::text as type, id, at, is_read, ${rankIn(tiers)} as rank,
        array[${sql.join(inAnyOrder.map((tier, rank) => holding(tier, `_loose_${rank}`)))}]::boolean[] as loosely from texts
    )`,
  );
  const { rows } = await sql<ScannedRecord>`
    with asked as materialized (select ${sql.join([...termColumns(tiers), ...termColumns(inAnyOrder, 'loose')])})
    select type, id, ${millis} as at, rank, loosely, is_read from (${sql.join(parts, sql` union all `)}) ranked`.execute(
    deps.database.em.getKysely(),
  );
  return rows;
}

/** Number of matches per collection below which all are sorted. */
const fewMatches = 300;

/**
 * Finds the records that match any search tier, with their best one, by the search index; empty if none matches. Null if a
 * collection has `fewMatches` or more records that match `widest` in any word order.
 */
export async function rankFew(
  { deps, siteId }: SiteScope,
  types: Types,
  tiers: readonly FieldQueries[],
  widest: TermQueries,
): Promise<RankedHit[] | null> {
  const parts = types.map(
    (type) => sql`(
      with few as materialized (
        select id, ${timestamps[type]} as at, title, search from ${sql.table(type)}
        where ${readable(siteId)} and search @@ (select widest from asked) limit ${sql.lit(fewMatches)}
      )
      select ${type}::text as type, id, at, ${rankIn(tiers)} as rank from few
      where (select count(*) from few) < ${sql.lit(fewMatches)}
      union all
      select ${type}::text, null, null, -1 where (select count(*) from few) >= ${sql.lit(fewMatches)}
    )`,
  );
  const { rows } = await sql<RankedHit>`
    with asked as materialized (select ${widest.loose} as widest, ${sql.join(termColumns(tiers))})
    select type, id, ${millis} as at, rank from (${sql.join(parts, sql` union all `)}) hits where rank is not null`.execute(
    deps.database.em.getKysely(),
  );
  return rows.some(({ rank }) => rank === -1) ? null : rows;
}

/**
 * Finds the newest `limit` records of each collection that match a search tier, by the search index. With `many`,
 * collections with at least that many matches in any word order are returned by name in `many`, without records. Without
 * it, the matches of all collections are sorted.
 */
export async function newestIn(
  { deps, siteId }: SiteScope,
  types: Types,
  tier: FieldQueries,
  limit: number,
  many?: number,
) {
  const parts = types.map((type) => {
    const table = sql.table(type);
    const isMany =
      many === undefined
        ? sql`false`
        : sql`(select count(*) from (select from ${table} where ${readable(siteId)} and ${holding(tier, '_loose')} limit ${sql.lit(many)}) few) >= ${sql.lit(many)}`;
    return sql`(
      with is_many as materialized (select ${isMany} as so)
      select ${type}::text as type, id, at from (
        select id, ${timestamps[type]} as at from ${table}
        where ${readable(siteId)} and ${holding(tier)} and not (select so from is_many)
        order by ${timestamps[type]} desc, id desc limit ${limit}::integer
      ) found
      union all
      select ${type}::text, null, null from is_many where so
    )`;
  });
  const { rows } = await sql<Omit<Hit, 'id'> & { id: string | null }>`
    with asked as materialized (
      select ${tier.title?.exact ?? none} as title, ${tier.text?.exact ?? none} as text,
        ${tier.title?.loose ?? none} as title_loose, ${tier.text?.loose ?? none} as text_loose
    )
    select type, id, ${millis} as at from (${sql.join(parts, sql` union all `)}) hits`.execute(
    deps.database.em.getKysely(),
  );
  return {
    hits: rows.flatMap(({ type, id, at }): Hit[] => (id === null ? [] : [{ type, id, at }])),
    many: rows.filter(({ id }) => id === null).map(({ type }) => type),
  };
}

const millis = sql`(extract(epoch from at) * 1000)::float8`;

/** SQL condition for the search index of public records. */
const readable = (siteId: string) =>
  sql<SqlBool>`site_id collate "C" = ${siteId} and coalesce(is_public, false)`;

const termColumns = (tiers: readonly FieldQueries[], how: keyof TermQueries = 'exact') => {
  const number = (rank: number) => `${how === 'loose' ? '_loose' : ''}_${rank}`;
  return tiers.flatMap(({ title, text }, rank) => [
    sql`${title?.[how] ?? none} as ${sql.ref(`title${number(rank)}`)}`,
    sql`${text?.[how] ?? none} as ${sql.ref(`text${number(rank)}`)}`,
  ]);
};

const rankIn = (tiers: readonly FieldQueries[]) =>
  sql`case ${sql.join(
    tiers.map((tier, rank) => sql`when ${holding(tier, `_${rank}`)} then ${sql.lit(rank)}`),
    sql` `,
  )} end`;

/** SQL condition: a record is in a search tier. The words of the tier are columns of `asked`. */
const holding = ({ title, text }: FieldQueries, number = '') =>
  sql.join(
    [
      ...(title
        ? [
            sql`to_tsvector('simple'::regconfig, ${folded(sql`title`)}) @@ (select ${sql.ref(`title${number}`)} from asked)`,
          ]
        : []),
      ...(text ? [sql`search @@ (select ${sql.ref(`text${number}`)} from asked)`] : []),
    ],
    sql` and `,
  );

const none = sql`null::tsquery`;
