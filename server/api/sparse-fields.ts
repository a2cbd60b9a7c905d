import { z } from 'zod';
import { companions } from '../../shared/contract/pagination.ts';

/** Key under which the OpenAPI document finds the fields that a whole record always has. */
export const wholeFields = 'x-required-without-fields';

/**
 * Creates the contract of a record in a list that takes `fields`. Throws an `Error` unless `record` is a `z.object`.
 */
export function sparse<T>(record: z.ZodType<T>): z.ZodType<T> {
  if (!(record instanceof z.ZodObject))
    throw new Error('a list with `fields` needs a record contract that is a z.object');
  const title = record.meta()?.title;
  const isAlways = (name: string) => record.shape[name]?._zod.optout !== 'optional';
  // Records are whole unless `fields` was given, so the type stays that of a whole record (see `fieldsQuery`).
  return record.partial().meta({
    ...(title && { title: `Sparse${title}` }),
    description: 'Record with all fields, or only those named in `fields`',
    [wholeFields]: Object.keys(record.shape).filter(isAlways),
  }) as unknown as z.ZodType<T>;
}

/** Returns `record` with only the named fields and those of `additional`; all fields if `fields` is undefined. */
export function narrow<T extends object>(
  record: T,
  fields: readonly string[] | undefined,
  additional: readonly string[] = [],
): T {
  if (!fields) return record;
  const named = new Set([
    ...fields.flatMap((field) => [field, ...(companionsOf[field] ?? [])]),
    ...additional,
  ]);
  // The caller chose to omit the other fields: answers are typed as whole records (see `fieldsQuery`).
  return Object.fromEntries(Object.entries(record).filter(([name]) => named.has(name))) as T;
}

const companionsOf: Readonly<Record<string, readonly string[] | undefined>> = companions;

/**
 * Returns the columns to fetch for `fields`, and those that are `always` needed. Undefined, which stands for all columns,
 * without `fields`.
 */
export function columnsFor(fields: readonly string[] | undefined, always: readonly string[]) {
  if (!fields) return undefined;
  const derived = ['is_gated', 'gate_reason'];
  return [...new Set([...always, ...fields])].filter((name) => !derived.includes(name));
}
