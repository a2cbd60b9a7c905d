import type { z } from 'zod';

/** The names of an object's properties, for objects that are written down as tables. */
// `Object.keys` gives any text, since values may have more properties than their type; a table has not.
export const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

/** The names of a contract's fields: the columns of a read that it is the contract of. */
export const namesOf = <S extends z.core.$ZodShape>({ shape }: z.ZodObject<S>) => keysOf(shape);

/** A table made of its rows by their names. */
// `Object.fromEntries` forgets which row has which name.
export const tableOf = <T extends object>(rows: readonly (readonly [keyof T & string, T[keyof T]])[]) =>
  Object.fromEntries(rows) as T;

/** A table with the same names, and for each row what `map` makes of it. */
export function mapTable<T extends object, R extends { [K in keyof T]: unknown }>(
  table: T,
  map: (row: T[keyof T & string]) => R[keyof T],
): R {
  return tableOf<R>(keysOf(table).map((name) => [name, map(table[name])]));
}

/** The name of a type after what it is of: `content.created` or `not_found` in PascalCase. */
export const typeName = (of: string) =>
  of
    .split(/[ ._-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Only what was really given: over RPC a field can be present and undefined. */
export const omitUndefined = <T extends object>(values: T) =>
  tableOf<Defined<T>>(
    keysOf(values).flatMap((name) => {
      const value = values[name];
      return isGiven(value) ? [[name, value] as const] : [];
    }),
  );

const isGiven = <V>(value: V): value is Exclude<V, undefined> => value !== undefined;
