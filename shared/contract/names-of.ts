import type { z } from 'zod';

/**
 * Returns the names in a table. `Object.keys` returns `string[]`, because a value may have more properties than its type. A
 * table has no others.
 */
export const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

/** Returns the names of a schema's fields, which are also the columns of the query that reads them. */
export const namesOf = <S extends z.core.$ZodShape>({ shape }: z.ZodObject<S>) => keysOf(shape);

/** Returns a table of the given names and rows. `Object.fromEntries` loses which row belongs to which name. */
export const tableOf = <T extends object>(rows: readonly (readonly [keyof T & string, T[keyof T]])[]) =>
  Object.fromEntries(rows) as T;

/** Returns a table with the same names, and with `map` applied to each row. */
export function mapTable<T extends object, R extends { [K in keyof T]: unknown }>(
  table: T,
  map: (row: T[keyof T & string]) => R[keyof T],
): R {
  return tableOf<R>(keysOf(table).map((name) => [name, map(table[name])]));
}

/** Converts a name such as `content.created` or `not_found` to PascalCase, for the name of a type. */
export const typeName = (of: string) =>
  of
    .split(/[ ._-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the values without fields that are undefined, which RPC input can contain. Null stays. */
export const omitUndefined = <T extends object>(values: T) =>
  tableOf<Defined<T>>(
    keysOf(values).flatMap((name) => {
      const value = values[name];
      return isGiven(value) ? [[name, value] as const] : [];
    }),
  );

const isGiven = <V>(value: V): value is Exclude<V, undefined> => value !== undefined;
