import { sql } from 'kysely';
import { contentTables } from './collection.ts';
import type { Position } from './cursor.ts';
import { type Listed, listedRows } from './listed-rows.ts';
import { inOrder, isBeyond, type Order } from './order.ts';

export interface Part {
  order: Order;
  limit: number;
  offset?: number;
  after?: Position | null;
}

/**
 * The ids of one part of a filtered list, and how many records the whole list has. It reads no more than the index that
 * the list goes by needs; so what every record has takes milliseconds, too.
 */
export const findNarrowed = (listed: Listed, part: Part) =>
  listed.collection.deps.database.shares.searches(listed.collection.siteId, () => findPart(listed, part));

/** The same outside of the share of searches, for lists that leave nothing out. */
export const findPart = (listed: Listed, part: Part) => partQuery(listed, part).executeTakeFirstOrThrow();

export const partQuery = (listed: Listed, part: Part) =>
  listed.conditions.indexed.length > 0 ? foundByWords(listed, part) : walkedInOrder(listed, part);

/** Part and total from one pass over what the index of words found, which reads neither bodies nor search vectors. */
function foundByWords(listed: Listed, { order, limit, offset, after }: Part) {
  const matching = listedRows(listed).select(['id', order.value.as('place')]);
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

/** The part by a walk over an index in the list's order, which ends when the part is full; the total by another. */
function walkedInOrder(listed: Listed, { order, limit, offset, after }: Part) {
  let ids = inOrder(listedRows(listed).select('id'), order).limit(limit);
  if (offset) ids = ids.offset(offset);
  if (after) ids = ids.where(isBeyond(order.value, order.direction, after));
  return contentTables(listed.collection).selectNoFrom(({ fn }) => [
    sql<string[]>`array(${ids})`.as('ids'),
    listedRows(listed).select(fn.countAll<number>().as('total')).$asScalar().as('total'),
  ]);
}
