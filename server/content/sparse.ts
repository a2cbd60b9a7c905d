import type { z } from 'zod';

/** The names of a record's fields, as `fields=` accepts them. */
export const fieldNames = <S extends z.core.$ZodShape>(record: z.ZodObject<S>) =>
  Object.keys(record.shape) as [keyof S & string, ...(keyof S & string)[]];

// Records are whole unless `fields` was given, so the type stays that of a whole one (`fieldsQuery` tells callers).
export const sparse = <S extends z.core.$ZodShape>(record: z.ZodObject<S, z.core.$strict>) =>
  record.partial() as unknown as z.ZodType<z.output<z.ZodObject<S>>>;

/** What a body's absence is explained by comes with it. */
const companions: Record<string, string[]> = { content: ['is_gated', 'gate_reason'] };

/** `record` with only the named fields; all of them when none are named. */
export function narrow<T extends object>(record: T, fields: readonly string[] | undefined): T {
  if (!fields) return record;
  const kept = new Set(fields.flatMap((field) => [field, ...(companions[field] ?? [])]));
  return Object.fromEntries(Object.entries(record).filter(([name]) => kept.has(name))) as T;
}

/** The columns to fetch for `fields`, with those that are `always` needed; undefined for all. */
export function columnsFor(fields: readonly string[] | undefined, always: readonly string[]) {
  if (!fields) return undefined;
  const derived = ['is_gated', 'gate_reason'];
  return [...new Set([...always, ...fields])].filter((name) => !derived.includes(name));
}
