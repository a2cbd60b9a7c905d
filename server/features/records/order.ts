import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { ContentTables } from './collection.ts';
import type { Position } from './cursor.ts';

/** The order of a list; of records with equal values the id decides. */
export interface Order {
  value: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
}

export function orderOf(sort: Sort): Order {
  const column = sort.replace('-', '');
  return { value: computed.get(column) ?? sql.ref(column), direction: sort.startsWith('-') ? 'desc' : 'asc' };
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
  { value, direction }: Order,
) => query.orderBy(value, direction).orderBy('id', direction);

/** Whether a record comes after a position in an order by `value`. */
export const isBeyond = (
  value: RawBuilder<unknown>,
  direction: Order['direction'],
  after: Position,
): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${value}, id) ${sql.raw(direction === 'desc' ? '<' : '>')} (${after.value}, ${after.id})`;
