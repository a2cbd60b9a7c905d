import { sql } from 'kysely';
import { type ContentQuery, contentTables } from './collection.ts';
import type { Position } from './cursor.ts';
import { isFound, type Listed, rowsByContent, rowsInOrder } from './listed-rows.ts';
import { inOrder, isBeyond, type Order } from './order.ts';

export interface PageRange {
  order: Order;
  limit: number;
  offset?: number;
  after?: Position | null;
}

/**
 * The ids of one part of a filtered list, and how many records the whole list has. It reads no more than the index that
 * the list goes by needs; so what every record has takes milliseconds, too.
 */
export const findNarrowed = (listed: Listed, part: PageRange) =>
  listed.collection.deps.database.shares.searches(listed.collection.siteId, () => findPart(listed, part));

/** The same outside of the share of searches, for who takes another. */
export const findPart = (listed: Listed, part: PageRange) =>
  partQuery(listed, part).executeTakeFirstOrThrow();

export function partQuery(listed: Listed, part: PageRange) {
  if (!isFound(listed)) return walkedInOrder(listed, part);
  const mayWalk = listed.conditions.words.length === 0 && listed.audience === 'readers';
  return mayWalk ? foundOrWalked(listed, part) : found(listed, part);
}

/** Part and total from one pass over what the index of words and lists found, which reads neither bodies nor vectors. */
function found(listed: Listed, { order, limit, offset, after }: PageRange) {
  const matching = rowsByContent(listed).select(['id', order.value.as('place')]);
  return contentTables(listed.collection)
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

/** With so many matches for each record of a part, the part is sooner found by a walk over all records. */
const manyMatches = 50;

/** The total first: it says whether to put what the index found into order, or to walk until the part is full. */
function foundOrWalked(listed: Listed, part: PageRange) {
  const { limit, offset = 0 } = part;
  // Pages far past the end ask for more matches than PostgreSQL can count.
  const many = Math.min(manyMatches * (offset + limit), Number.MAX_SAFE_INTEGER);
  const counted = rowsByContent(listed).select(({ fn }) => fn.countAll<number>().as('total'));
  const walked = slice(rowsInOrder(listed), part);
  const picked = slice(rowsByContent(listed), part);
  return contentTables(listed.collection)
    .with(
      (cte) => cte('counted').materialized(),
      () => counted,
    )
    .selectFrom('counted')
    .select([
      'total',
      sql<string[]>`case when total > ${many}::bigint then array(${walked}) else array(${picked}) end`.as(
        'ids',
      ),
    ]);
}

/**
 * The part by a walk over an index in the list's order, which ends when the part is full; the total by another. A walk
 * from the first record on that did not fill the part has counted them all.
 */
function walkedInOrder(listed: Listed, part: PageRange) {
  const { limit, offset, after } = part;
  const total = rowsInOrder(listed).select(({ fn }) => fn.countAll<number>().as('total'));
  if (offset || after) {
    const ids = sql<string[]>`array(${slice(rowsInOrder(listed), part)})`;
    return contentTables(listed.collection).selectNoFrom([ids.as('ids'), total.$asScalar().as('total')]);
  }
  return contentTables(listed.collection)
    .with(
      (cte) => cte('walked').materialized(),
      (db) => db.selectNoFrom(sql<string[]>`array(${slice(rowsInOrder(listed), part)})`.as('ids')),
    )
    .selectFrom('walked')
    .select([
      'ids',
      sql<number>`case when cardinality(ids) < ${limit}::integer then cardinality(ids) else (${total}) end`.as(
        'total',
      ),
    ]);
}

/** The ids of a part of these rows. */
function slice(rows: ContentQuery, { order, limit, offset, after }: PageRange) {
  let ids = inOrder(rows.select('id'), order).limit(limit);
  if (offset) ids = ids.offset(offset);
  if (after) ids = ids.where(isBeyond(order.value, order.direction, after));
  return ids;
}
