import { z } from 'zod';
import { storableText } from '../../../shared/contract/fields.ts';
import type { Sort } from '../../../shared/contract/pagination.ts';
import { recordIdPattern } from '../../../shared/contract/record-id.ts';
import { decodeWord, encodeWord } from '../../kernel/cursor-codec.ts';

/** Where a cursor list goes on: after the record with this value in the sorted column, and this id. */
export interface Position {
  value: string | Date;
  id: string;
}

const Cursor = z.tuple([z.string(), z.string().refine(storableText), z.string().regex(recordIdPattern)]);

/** Opaque to callers: base64url of sort, last value and last id. */
export function encodeCursor(sort: Sort, { value, id }: Position): string {
  const text = value instanceof Date ? value.toISOString() : value;
  return encodeWord([sort, text, id]);
}

/** Null for what is no cursor of a list with this sort: the list restarts at its first page (docs/contract.md#lists). */
export function decodeCursor(sort: Sort, cursor: string): Position | null {
  const parsed = Cursor.safeParse(decodeWord(cursor));
  if (!parsed.success || parsed.data[0] !== sort) return null;
  const [, text, id] = parsed.data;
  if (sort.endsWith('title')) return { value: text, id };
  return z.iso.datetime().safeParse(text).success ? { value: new Date(text), id } : null;
}
