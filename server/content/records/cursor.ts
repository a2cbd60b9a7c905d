import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Fields, storableText } from '../../../shared/contract/fields.ts';
import type { CursorSort } from '../../../shared/contract/pagination.ts';
import { recordIdPattern } from '../../../shared/contract/record-id.ts';
import type { Include } from '../../../shared/contract/sharing.ts';
import { decodeToken, encodeToken } from '../../api/cursor-codec.ts';
import { type Filter, isFiltered } from '../../api/filter-sql.ts';
import { columnsFor } from '../../api/sparse-fields.ts';
import type { Collection } from './collection.ts';
import type { Position } from './order.ts';
import { listAfter } from './public-reads.ts';

interface CursorQuery extends Required<CursorList> {
  cursor?: string | undefined;
  limit: number;
  /** Fields to fetch in addition to those that the order needs; all if undefined. */
  fields?: readonly string[] | undefined;
  include?: Include | undefined;
}

/**
 * Returns one page, the total number of records, and `next_cursor`; the last page has none. A cursor of another list,
 * or an invalid one, starts at the first page. Columns in `always` are always fetched. Throws `LargeAnswerError` if
 * the records are too large to load together.
 */
export async function listByCursor<F extends Fields>(
  collection: Collection<F>,
  { cursor, limit, fields, include, ...list }: CursorQuery,
  always: readonly string[] = [],
) {
  const { sort } = list;
  const after = cursor ? decodeCursor(list, cursor) : null;
  const columns = columnsFor(fields, ['id', columnOf(sort), ...always]);
  const { rows, total } = await listAfter(collection, { ...list, limit: limit + 1, after, columns, include });
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const more = rows.length > limit && last ? { next_cursor: encodeCursor(list, positionOf(last, sort)) } : {};
  return { data, total, count: data.length, per_page: limit, ...more };
}

/** ID of a record and its value in the sorted column. */
const PositionOfRecord = z.object({ id: z.string(), value: z.union([z.string(), z.date()]) });

const columnOf = (sort: CursorSort) => sort.replace('-', '');

function positionOf(record: object, sort: CursorSort): Position {
  const values: Readonly<Record<string, unknown>> = { ...record };
  return PositionOfRecord.parse({ id: values.id, value: values[columnOf(sort)] });
}

export interface CursorList {
  sort: CursorSort;
  filter?: Filter;
}

const Cursor = z.tuple([
  z.string(),
  z.string().refine(storableText),
  z.string().regex(recordIdPattern),
  z.string().optional(),
]);

/**
 * Encodes a cursor, which is opaque to callers: base64url of the order, the last value, the last ID, and for a filtered list
 * a hash of the filter.
 */
export function encodeCursor({ sort, filter }: CursorList, { value, id }: Position): string {
  const text = value instanceof Date ? value.toISOString() : value;
  const question = questionOf(filter);
  return encodeToken(question === undefined ? [sort, text, id] : [sort, text, id, question]);
}

/** Decodes a cursor; null if it is not one of this list, which then starts at its first page (docs/reference/lists.md). */
export function decodeCursor({ sort, filter }: CursorList, cursor: string): Position | null {
  const parsed = Cursor.safeParse(decodeToken(cursor));
  if (!parsed.success) return null;
  const [ofSort, text, id, question] = parsed.data;
  if (ofSort !== sort || question !== questionOf(filter)) return null;
  if (sort.endsWith('title')) return { value: text, id };
  return z.iso.datetime().safeParse(text).success ? { value: new Date(text), id } : null;
}

const questionLength = 11;

/** Returns the hash of a filter, by which a cursor identifies its list; undefined for an unfiltered list. */
function questionOf(filter: Filter = {}): string | undefined {
  if (!isFiltered(filter)) return undefined;
  return createHash('sha256').update(JSON.stringify(filter)).digest('base64url').slice(0, questionLength);
}
