import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { ContentTables } from './collection.ts';
import type { Position } from './cursor.ts';

/** The order of a list; of records with equal values the id decides. */
export interface Order {
  value: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
}

/** Titles are ordered without regard to case. */
export function orderOf(sort: Sort): Order {
  const column = sort.replace('-', '');
  const value = column === 'title' ? sql`title collate "und-x-icu"` : sql.ref(column);
  return { value, direction: sort.startsWith('-') ? 'desc' : 'asc' };
}

export const newestFirst = orderOf('-created');

export const inOrder = <Row>(
  query: SelectQueryBuilder<ContentTables, string, Row>,
  { value, direction }: Order,
) => query.orderBy(value, direction).orderBy('id', direction);

/** Whether a record comes after a position in an order by `value`. */
export const isBeyond = (
  value: RawBuilder<unknown>,
  direction: Order['direction'],
  after: Position,
): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${value}, id) ${sql.raw(direction === 'desc' ? '<' : '>')} (${after.value}, ${after.id})`;
