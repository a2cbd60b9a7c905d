import { createHash } from 'node:crypto';
import { z } from 'zod';
import { storableText } from '../../../shared/contract/fields.ts';
import type { CursorSort } from '../../../shared/contract/pagination.ts';
import { recordIdPattern } from '../../../shared/contract/record-id.ts';
import { decodeWord, encodeWord } from '../../kernel/cursor-codec.ts';
import { type Filter, isFiltered } from '../../kernel/filter-sql.ts';

/** Where a cursor list goes on: after the record with this value in the sorted column, and this id. */
export interface Position {
  value: string | Date;
  id: string;
}

/** A list that cursors lead through. */
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

/** Opaque to callers: base64url of sort, last value, last id, and of a filtered list what it is filtered by. */
export function encodeCursor({ sort, filter }: CursorList, { value, id }: Position): string {
  const text = value instanceof Date ? value.toISOString() : value;
  const question = questionOf(filter);
  return encodeWord(question === undefined ? [sort, text, id] : [sort, text, id, question]);
}

/** Null for what is no cursor of this list: it restarts at its first page (docs/contract.md#lists). */
export function decodeCursor({ sort, filter }: CursorList, cursor: string): Position | null {
  const parsed = Cursor.safeParse(decodeWord(cursor));
  if (!parsed.success) return null;
  const [ofSort, text, id, question] = parsed.data;
  if (ofSort !== sort || question !== questionOf(filter)) return null;
  if (sort.endsWith('title')) return { value: text, id };
  return z.iso.datetime().safeParse(text).success ? { value: new Date(text), id } : null;
}

const questionLength = 11;

/** A short name of what a list is filtered by; undefined for one that is not. */
function questionOf(filter: Filter = {}): string | undefined {
  if (!isFiltered(filter)) return undefined;
  return createHash('sha256').update(JSON.stringify(filter)).digest('base64url').slice(0, questionLength);
}
