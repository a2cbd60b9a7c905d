import type { Fields } from '../../../shared/contract/fields.ts';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { RecordOf } from '../../../shared/contract/resource.ts';
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

const positionOf = <F>(record: RecordOf<F>, sort: Sort) => {
  const { id, created, updated, title } = record as {
    id: string;
    created: Date;
    updated: Date;
    title?: string;
  };
  return {
    id,
    value: { created, updated, title: title ?? '' }[sort.replace('-', '') as 'created' | 'updated' | 'title'],
  };
};
