import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { SearchedCollection } from '../../../shared/contract/search.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import type { SearchedWords } from './words.ts';

/** Words that have to be in titles, in open texts, or both. */
export interface WordsIn {
  title?: SearchedWords;
  text?: SearchedWords;
}

export interface Hit {
  type: SearchedCollection;
  id: string;
}

interface Asked {
  types: readonly SearchedCollection[];
  tier: WordsIn;
  limit: number;
  /** See `Wanted`. */
  readsTexts: boolean;
}

const created = sql`created`;

/** What stands beside each record as its date. */
export const moments: Readonly<Record<SearchedCollection, RawBuilder<unknown>>> = {
  posts: sql`coalesce(published_at, created)`,
  projects: created,
  courses: created,
  talks: created,
  pages: created,
};

interface Site {
  deps: StoreDeps;
  siteId: string;
}

/** With fewer matches of a kind than this, all of them are put in order at once. */
const fewMatches = 300;

/** The best of what `widest` has, by the first of `tiers` that each is in; null where these are more than few. */
export async function rankFew(
  { deps, siteId }: Site,
  {
    types,
    tiers,
    widest,
    limit,
  }: Pick<Asked, 'types' | 'limit'> & { tiers: readonly WordsIn[]; widest: SearchedWords },
): Promise<Hit[] | null> {
  const asked = tiers.flatMap(({ title, text }, place) => [
    sql`${title?.exact ?? none} as ${sql.ref(`title_${place}`)}`,
    sql`${text?.exact ?? none} as ${sql.ref(`text_${place}`)}`,
  ]);
  const place = sql.join(
    tiers.map((tier, place) => sql`when ${holding(tier, `_${place}`)} then ${sql.lit(place)}`),
    sql` `,
  );
  const parts = types.map(
    (type) => sql`(
      with few as materialized (
        select id, ${moments[type]} as at, title, search from ${sql.table(type)}
        where ${readable(siteId)} and search @@ (select widest from asked) limit ${sql.lit(fewMatches)}
      )
      select ${type}::text as type, id, at, case ${place} end as place from few
      where (select count(*) from few) < ${sql.lit(fewMatches)}
      union all
      select ${type}::text, null, null, -1 where (select count(*) from few) >= ${sql.lit(fewMatches)}
    )`,
  );
  const { rows } = await sql<Hit & { place: number }>`
    with asked as materialized (select ${widest.loose} as widest, ${sql.join(asked)})
    select type, id, place from (${sql.join(parts, sql` union all `)}) hits
    where place is not null order by place, at desc, id desc limit ${limit}::integer`.execute(
    deps.database.em.getKysely(),
  );
  return rows[0]?.place === -1 ? null : rows.map(({ type, id }) => ({ type, id }));
}

/** The newest public records of some kinds that a tier has. */
export async function newestIn({ deps, siteId }: Site, { types, ...asked }: Asked): Promise<Hit[]> {
  const { tier, limit } = asked;
  const parts = types.map((type) => newestOf(type, { siteId, ...asked }));
  const { rows } = await sql<Hit>`
    with asked as materialized (
      select ${tier.title?.exact ?? none} as title, ${tier.text?.exact ?? none} as text,
        ${tier.title?.loose ?? none} as title_loose, ${tier.text?.loose ?? none} as text_loose
    )
    select type, id from (${sql.join(parts, sql` union all `)}) hits order by at desc, id desc limit ${limit}::integer`.execute(
    deps.database.em.getKysely(),
  );
  return rows;
}

/** By the index of words that holds nothing but what readers may read. */
const readable = (siteId: string) =>
  sql<SqlBool>`site_id collate "C" = ${siteId} and coalesce(is_public, false)`;

/** That a record is in a tier, whose words are in `asked`. */
const holding = ({ title, text }: WordsIn, number = '') =>
  sql.join(
    [
      ...(title
        ? [sql`to_tsvector('simple'::regconfig, title) @@ (select ${sql.ref(`title${number}`)} from asked)`]
        : []),
      ...(text ? [sql`search @@ (select ${sql.ref(`text${number}`)} from asked)`] : []),
    ],
    sql` and `,
  );

const none = sql`null::tsquery`;

/** So many matches are found by a walk from the newest on, and fewer by the index of words. */
const manyMatches = 1_000;

/**
 * How far such a walk goes before the index is asked after all. It is not where texts have to be read for what it finds: a
 * phrase of words that many records have is looked for so far and no further.
 */
const longestWalk = 2_000;

/**
 * From the index of words and lists, or where it has very many, by a walk through the index of lists. The latter's condition
 * on each record is in a form that no index answers.
 */
function newestOf(
  type: SearchedCollection,
  { siteId, tier, limit, readsTexts }: Omit<Asked, 'types'> & { siteId: string },
) {
  const table = sql.table(type);
  const at = moments[type];
  const holds = holding(tier);
  const indexed = sql<SqlBool>`${readable(siteId)} and ${holds}`;
  const remains = readsTexts
    ? sql<SqlBool>`(select number from matches) < ${sql.lit(manyMatches)}`
    : sql<SqlBool>`(select count(*) from walked) < ${limit}::integer`;
  return sql`(
    with matches as materialized (
      select count(*)::integer as number from (
        select from ${table} where ${readable(siteId)} and ${holding(tier, '_loose')} limit ${sql.lit(manyMatches)}
      ) few
    ), walked as materialized (
      select newest.id, newest.at from matches cross join lateral (
        select id, at from (
          select id, ${at} as at, title, search from ${table}
          where site_id = ${siteId} collate "POSIX" and is_public order by ${at} desc, id desc limit ${sql.lit(longestWalk)}
        ) walk where coalesce(${holds}, false) limit ${limit}::integer
      ) newest where matches.number >= ${sql.lit(manyMatches)}
    )
    select ${type}::text as type, id, at from walked where not (${remains})
    union all (
      select ${type}::text, id, ${at} from ${table}
      where ${indexed} and ${remains}
      order by ${at} desc, id desc limit ${limit}::integer
    )
  )`;
}
