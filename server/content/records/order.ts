import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { ContentQuery, ContentTables } from './collection.ts';

/** Where a cursor list goes on: after the record with this value in the sorted column, and this id. */
export interface Position {
  value: string | Date;
  id: string;
}

/** The order of a list; of records with equal values the id decides. */
export interface Order {
  value: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
  isOfMoments: boolean;
}

export function orderOf(sort: Sort): Order {
  const column = sort.replace('-', '');
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  return { value: computed.get(column) ?? sql.ref(column), direction, isOfMoments: column !== 'title' };
}

/** Orders by something else than a column as it is. */
const computed: ReadonlyMap<string, RawBuilder<unknown>> = new Map([
  // Without regard to case.
  ['title', sql`title collate "und-x-icu"`],
  // An import can bring posts that readers see and whose date of publication nobody knows.
  ['published_at', sql`coalesce(published_at, created)`],
]);

/** At most so many rows, from a subquery: where PostgreSQL knows of fewer on the site, it would read all of them and sort. */
export const atMost = (rows: number) => sql<number>`(select ${rows}::bigint)`;

export const newestFirst = orderOf('-created');

export const inOrder = <Row>(
  query: SelectQueryBuilder<ContentTables, string, Row>,
  { value, direction }: Pick<Order, 'value' | 'direction'>,
) => query.orderBy(value, direction).orderBy('id', direction);

/** Whether a record comes after a position in an order by `value`. */
export const isBeyond = (value: RawBuilder<unknown>, direction: Order['direction'], after: Position) =>
  sql<SqlBool>`(${value}, id) ${sql.raw(direction === 'desc' ? '<' : '>')} (${after.value}, ${after.id})`;

export interface PageRange {
  order: Order;
  limit: number;
  offset?: number;
  after?: Position | null;
}

export function slice(rows: ContentQuery, { order, limit, offset, after }: PageRange) {
  let ids = inOrder(rows.select('id'), order).limit(atMost(limit));
  if (offset) ids = ids.offset(offset);
  if (after) ids = ids.where(isBeyond(order.value, order.direction, after));
  return ids;
}
