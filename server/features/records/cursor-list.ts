import { z } from 'zod';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { CursorSort } from '../../../shared/contract/pagination.ts';
import type { Include } from '../../../shared/contract/sharing.ts';
import type { Filter } from '../../kernel/filter-sql.ts';
import { columnsFor } from '../../kernel/sparse.ts';
import type { Collection } from './collection.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
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
  const columns = columnsFor(fields, ['id', sortedColumn[sort], ...always]);
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

/** What a list can be sorted by, of which a record has at least what its list is sorted by. */
const Sortable = z.object({
  id: z.string(),
  created: z.date().optional(),
  updated: z.date().optional(),
  title: z.string().optional(),
});

function positionOf(record: object, sort: CursorSort) {
  const { id, ...values } = Sortable.parse(record);
  const value = values[sortedColumn[sort]];
  if (value === undefined) throw new Error(`a record has no ${sortedColumn[sort]}`);
  return { id, value };
}

const sortedColumn = {
  created: 'created',
  '-created': 'created',
  updated: 'updated',
  '-updated': 'updated',
  title: 'title',
  '-title': 'title',
} as const satisfies Record<CursorSort, string>;
