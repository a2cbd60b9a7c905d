import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import { type Collection, contentTables } from './collection.ts';
import type { Position } from './cursor.ts';

/** Narrows a list of posts. */
export interface Filter {
  tag?: string | undefined;
  q?: string | undefined;
}

export const isNarrowed = ({ tag, q }: Filter) => tag !== undefined || q !== undefined;

/** The order of a list; of records with equal values the id decides. */
export interface Order {
  value: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
}

interface Part {
  order: Order;
  limit: number;
  offset?: number;
  after?: Position | null;
}

/**
 * The ids of one part of a narrowed list, and how many records the whole list has. Both come from one pass over what the
 * index found, which reads neither bodies nor search vectors; so the most common word takes milliseconds, too.
 */
export const findNarrowed = (collection: Collection<Fields>, filter: Filter, part: Part) =>
  collection.deps.database.shares.searches(collection.siteId, () =>
    narrowedQuery(collection, filter, part).executeTakeFirstOrThrow(),
  );

export function narrowedQuery(
  collection: Collection<Fields>,
  filter: Filter,
  { order, limit, offset, after }: Part,
) {
  const tables = contentTables(collection);
  const matching = tables
    .selectFrom(collection.resource.collection)
    .select(['id', order.value.as('place')])
    .where('site_id', '=', siteForIndex(collection.siteId))
    .where(readable)
    .where(matches(filter));
  return tables
    .with(
      (cte) => cte('found').materialized(),
      () => matching,
    )
    .selectNoFrom(({ selectFrom, fn }) => {
      let ids = selectFrom('found').select('id').orderBy('place', order.direction);
      ids = ids.orderBy('id', order.direction).limit(limit);
      if (offset) ids = ids.offset(offset);
      if (after) ids = ids.where(isBeyond(sql`place`, order.direction, after));
      return [
        sql<string[]>`array(${ids})`.as('ids'),
        selectFrom('found').select(fn.countAll<number>().as('total')).$asScalar().as('total'),
      ];
    });
}

/*
 * Two conditions in forms that only the index for narrowed lists can answer. PostgreSQL might take another one for a site,
 * or for a table, that it thinks small, and unpack the search vector of each of its records.
 */

/** `is_public`, but not as the partial indexes have it. */
const readable = sql<SqlBool>`coalesce(is_public, false)`;

/** In the collation that only that index has. */
const siteForIndex = (siteId: string) => sql<string>`${siteId} collate "C"`;

/** What is looked for comes from a subquery, so that the plan does not depend on how common PostgreSQL thinks it is. */
function matches({ tag, q }: Filter) {
  const conditions = [];
  if (q !== undefined) conditions.push(sql`search @@ (select websearch_to_tsquery('simple', ${q}))`);
  if (tag !== undefined) conditions.push(sql`tags @> (select array[${tag}::text])`);
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

/** Whether a record comes after a position in an order by `value`. */
export const isBeyond = (
  value: RawBuilder<unknown>,
  direction: Order['direction'],
  after: Position,
): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${value}, id) ${sql.raw(direction === 'desc' ? '<' : '>')} (${after.value}, ${after.id})`;
