import type { z } from 'zod';

/** The names of an object's properties, for objects that are written down as tables. */
// `Object.keys` gives any text, since values may have more properties than their type; a table has not.
export const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

/** The names of a contract's fields: the columns of a read that it is the contract of. */
export const namesOf = <S extends z.core.$ZodShape>({ shape }: z.ZodObject<S>) => keysOf(shape);
