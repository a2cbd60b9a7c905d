import { type SqlBool, sql } from 'kysely';
import { post } from '../../../shared/contract/resources/post.ts';
import { found } from '../../api/api-error.ts';
import { type Collection, contentTables, typedRows } from '../records/collection.ts';
import { including } from '../records/include-covers.ts';
import { everything, publicRows, rowsOfList } from '../records/list-query.ts';
import { inOrder, orderOf } from '../records/order.ts';
import { selectPublic } from '../records/public-reads.ts';
import type { PostRow } from './public-procedures.ts';

type PostFields = (typeof post)['fields'];

/** Number of the newest posts among which related ones are searched, so that no page reads a whole site. */
const searched = 300;

const maxRelated = 3;

/**
 * Finds the public posts before and after a public post by publication time; null if there is none. Also finds
 * related posts: those that share most topics with it, then the newest. Only the list index is read, so the cost does
 * not grow with the site. Throws `not_found` if the post is not public.
 */
export async function findAround(collection: Collection<PostFields>, id: string, columns: readonly string[]) {
  const { before, after, others } = found(await aroundQuery(collection, id).executeTakeFirst());
  const related = others.filter((other) => other !== before && other !== after).slice(0, maxRelated);
  const ids = [before, after, ...related].filter((other) => other !== null);
  const rows = ids.length > 0 ? await selectPublic(collection, columns).where('id', 'in', ids).execute() : [];
  const shown = await including(collection, typedRows<PostRow>(rows), ['cover']);
  const byId = new Map(shown.map((row) => [row.id, row]));
  const one = (other: string | null) => (other && byId.get(other)) || null;
  return { before: one(before), after: one(after), related: related.flatMap((other) => one(other) ?? []) };
}

export function aroundQuery(collection: Collection<PostFields>, id: string) {
  const newestFirst = orderOf('-published_at');
  const oldestFirst = orderOf('published_at');
  const own = contentTables(collection)
    .selectFrom(post.collection)
    .where('site_id', '=', collection.siteId)
    .where('id', '=', id)
    .where(sql<boolean>`is_public`);
  const sortKey = sql`(${newestFirst.value}, id)`;
  const ownSortValue = sql`((${own.select(newestFirst.value.as('moment'))}), ${id}::text)`;
  const rows = publicRows(collection);
  const [earlier, later] = [
    sql<boolean>`${sortKey} < ${ownSortValue}`,
    sql<boolean>`${sortKey} > ${ownSortValue}`,
  ];
  const before = inOrder(rows.select('id').where(earlier), newestFirst).limit(1);
  const after = inOrder(rows.select('id').where(later), oldestFirst).limit(1);
  const candidates = rows.select(['id', 'tags', newestFirst.value.as('sort_value')]);
  const newest = inOrder(candidates, newestFirst).limit(searched);
  const shared = sql`cardinality(array(select unnest(tags) intersect select unnest((${own.select('tags')}))))`;
  const others = sql<string[]>`array(
    select id from (${newest}) newest where id <> ${id} order by ${shared} desc, sort_value desc, id desc limit ${maxRelated + 2})`;
  return contentTables(collection)
    .selectNoFrom([
      sql<string | null>`(${before})`.as('before'),
      sql<string | null>`(${after})`.as('after'),
      others.as('others'),
    ])
    .where(({ exists }) => exists(own.select('id')));
}

/**
 * Finds the public post that is pinned to the top of its site. If several are, it is the last published one; null if
 * none is.
 */
export async function findPinned(collection: Collection<PostFields>, columns: readonly string[]) {
  const rows = await pinnedRows(collection).select(columns).execute();
  return typedRows<PostRow>(rows)[0] ?? null;
}

/**
 * Returns a query of the pinned public post that was published last. Its condition contains no parameter, so that
 * PostgreSQL can use the index of pinned posts.
 */
export const pinnedRows = (collection: Collection<PostFields>) => {
  const conditions = { ...everything, plain: [sql<SqlBool>`featured`] };
  const pinned = rowsOfList({ collection, audience: 'readers', conditions });
  return inOrder(pinned, orderOf('-published_at')).limit(1);
};
