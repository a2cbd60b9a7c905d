import { z } from 'zod';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { CursorSort } from '../../../shared/contract/pagination.ts';
import type { Include } from '../../../shared/contract/sharing.ts';
import type { Filter } from '../../kernel/filter-sql.ts';
import { columnsFor } from '../../kernel/sparse.ts';
import type { Collection } from './collection.ts';
import { decodeCursor, encodeCursor, type Position } from './cursor.ts';
import { listAfter } from './reads.ts';

interface CursorQuery {
  cursor?: string | undefined;
  limit: number;
  sort: CursorSort;
  filter: Filter;
  /** Fields to fetch besides those the order needs; all when left out. */
  fields?: readonly string[] | undefined;
  include?: Include | undefined;
  /** Columns to fetch whatever `fields` names. */
  always?: readonly string[];
}

/** One page, the number of all records, and where the next page starts if there is one. */
export async function listByCursor<F extends Fields>(
  collection: Collection<F>,
  { cursor, limit, sort, filter, fields, include, always = [] }: CursorQuery,
) {
  const list = { sort, filter };
  const after = cursor ? decodeCursor(list, cursor) : null;
  const columns = columnsFor(fields, ['id', columnOf(sort), ...always]);
  const { rows, total } = await listAfter(collection, {
    sort,
    limit: limit + 1,
    after,
    filter,
    columns,
    include,
  });
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const more = rows.length > limit && last ? { next_cursor: encodeCursor(list, positionOf(last, sort)) } : {};
  return { data, total, count: data.length, per_page: limit, ...more };
}

/** What a record of a list has at least: its id, and what the list is sorted by. */
const Place = z.object({ id: z.string(), value: z.union([z.string(), z.date()]) });

const columnOf = (sort: CursorSort) => sort.replace('-', '');

function positionOf(record: object, sort: CursorSort): Position {
  const values: Readonly<Record<string, unknown>> = { ...record };
  return Place.parse({ id: values.id, value: values[columnOf(sort)] });
}
