import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { ContentQuery, ContentTables } from './collection.ts';

/** Position after which a cursor list continues: value in the sorted column, and ID. */
export interface Position {
  value: string | Date;
  id: string;
}

/** Order of a list. The ID orders records with equal values. */
export interface Order {
  value: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
  isByTime: boolean;
}

export function orderOf(sort: Sort): Order {
  const column = sort.replace('-', '');
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  return { value: computed.get(column) ?? sql.ref(column), direction, isByTime: column !== 'title' };
}

/** Orders by an expression instead of a column. */
const computed: ReadonlyMap<string, RawBuilder<unknown>> = new Map([
  // Case-insensitive.
  ['title', sql`title collate "und-x-icu"`],
  // Imports can add public posts without a publication date.
  ['published_at', sql`coalesce(published_at, created)`],
]);

/**
 * Returns a row limit as an SQL subquery. With a literal, PostgreSQL may expect few rows on the site, and read and sort all
 * of them.
 */
export const atMost = (rows: number) => sql<number>`(select ${rows}::bigint)`;

export const newestFirst = orderOf('-created');

export const inOrder = <Row>(
  query: SelectQueryBuilder<ContentTables, string, Row>,
  { value, direction }: Pick<Order, 'value' | 'direction'>,
) => query.orderBy(value, direction).orderBy('id', direction);

/** SQL condition: a record comes after a position in an order by `value`. */
export const isBeyond = (value: RawBuilder<unknown>, direction: Order['direction'], after: Position) =>
  sql<SqlBool>`(${value}, id) ${sql.raw(direction === 'desc' ? '<' : '>')} (${after.value}, ${after.id})`;

export interface PageRange {
  order: Order;
  limit: number;
  offset?: number;
  after?: Position | null;
}

/** Returns the query of the IDs on one page of `rows`, in the given order. */
export function slice(rows: ContentQuery, { order, limit, offset, after }: PageRange) {
  let ids = inOrder(rows.select('id'), order).limit(atMost(limit));
  if (offset) ids = ids.offset(offset);
  if (after) ids = ids.where(isBeyond(order.value, order.direction, after));
  return ids;
}
