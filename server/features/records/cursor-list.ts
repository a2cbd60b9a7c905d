import { z } from 'zod';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { Collection } from './collection.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Filter } from './narrowed.ts';
import { listAfter } from './reads.ts';

interface CursorQuery extends Filter {
  cursor?: string | undefined;
  limit: number;
  sort: Sort;
  /** Columns to fetch besides those the order needs; all when left out. */
  columns?: readonly string[] | undefined;
}

/** One page, the number of all records, and where the next page starts if there is one. */
export async function listByCursor<F extends Fields>(
  collection: Collection<F>,
  { cursor, limit, sort, columns, ...filter }: CursorQuery,
) {
  const after = cursor ? decodeCursor(sort, cursor) : null;
  const { rows, total } = await listAfter(collection, { sort, limit: limit + 1, after, filter, columns });
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const more = rows.length > limit && last ? { next_cursor: encodeCursor(sort, positionOf(last, sort)) } : {};
  return { data, total, count: data.length, per_page: limit, ...more };
}

/** What a list can be sorted by. Records are of any resource here; one without a title is never sorted by it. */
const Sortable = z.object({
  id: z.string(),
  created: z.date(),
  updated: z.date(),
  title: z.string().default(''),
});

function positionOf(record: object, sort: Sort) {
  const { id, ...values } = Sortable.parse(record);
  return { id, value: values[sortedColumn[sort]] };
}

const sortedColumn = {
  created: 'created',
  '-created': 'created',
  updated: 'updated',
  '-updated': 'updated',
  title: 'title',
  '-title': 'title',
} as const satisfies Record<Sort, string>;
