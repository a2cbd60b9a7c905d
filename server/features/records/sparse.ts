import type { z } from 'zod';
import { companions } from '../../../shared/contract/pagination.ts';

/** The names of a record's fields, as `fields=` accepts them. */
export const fieldNames = <S extends z.core.$ZodShape>(record: z.ZodObject<S>) =>
  Object.keys(record.shape) as [keyof S & string, ...(keyof S & string)[]];

// Records are whole unless `fields` was given, so the type stays that of a whole one (`fieldsQuery` tells callers).
export const sparse = <S extends z.core.$ZodShape>(record: z.ZodObject<S, z.core.$strict>) =>
  record.partial().meta({
    title: `Sparse${record.meta()?.title}`,
    description: 'A record, whole or with the fields that `fields` names',
  }) as unknown as z.ZodType<z.output<z.ZodObject<S>>>;

/** `record` with only the named fields; all of them when none are named. */
export function narrow<T extends object>(record: T, fields: readonly string[] | undefined): T {
  if (!fields) return record;
  const accompanied = fields.flatMap((field) =>
    field in companions ? [field, ...companions[field as keyof typeof companions]] : [field],
  );
  const kept = new Set<string>(accompanied);
  return Object.fromEntries(Object.entries(record).filter(([name]) => kept.has(name))) as T;
}

/** The columns to fetch for `fields`, with those that are `always` needed; undefined for all. */
export function columnsFor(fields: readonly string[] | undefined, always: readonly string[]) {
  if (!fields) return undefined;
  const derived = ['is_gated', 'gate_reason'];
  return [...new Set([...always, ...fields])].filter((name) => !derived.includes(name));
}
