import { z } from 'zod';
import { documented } from '../documented.ts';
import { created } from '../envelopes.ts';
import { Email, type Field, type Fields, outputs, unsetValues } from '../fields.ts';
import { keysOf, tableOf } from '../names-of.ts';
import { pageQuery, partQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';

/**
 * What narrows a list: to rows with this value in the column, to the one that has it by an index of its own, or to those where the
 * column is set or not.
 */
interface KindFilter {
  input: z.ZodType;
  is: 'equal' | 'key' | 'set';
  column: string;
}

interface Declaration<F extends Fields> {
  /** Its table, and the collection that events name. */
  collection: string;
  /** Its columns, in the database and in archives, and what its owner reads of it. */
  fields: F;
  /** Fields that nobody sends when one is made. */
  later?: readonly (keyof F & string)[];
  /**
   * Columns in which a list looks for a part of a text; or `search`, which has them in lower case: then the index of the list has it,
   * and what the filters ask for.
   */
  searched: 'search' | readonly (keyof F & string)[];
  filters?: Record<string, KindFilter>;
}

/** What people leave on a site besides its content: a table with an owner's list, the newest first. */
export interface Kind extends Declaration<Fields> {
  read: z.ZodObject;
}

type Create<F extends Fields, Later> = {
  [K in keyof F as K extends Later ? never : K]: F[K] extends { required: true }
    ? F[K]['input']
    : z.ZodOptional<z.ZodNullable<F[K]['input']>>;
};

type FiltersOf<D> = D extends { filters: infer Filters extends Record<string, KindFilter> }
  ? { [K in keyof Filters]: z.ZodOptional<Filters[K]['input']> }
  : Record<never, never>;

type LaterOf<D> = D extends { later: readonly (infer Name)[] } ? Name : never;

export function defineKind<const F extends Fields, const D extends Omit<Declaration<F>, 'fields'>>(
  declaration: D & { fields: F },
) {
  const { fields, later = [], filters = {} } = declaration;
  const sent = keysOf(fields).filter((name) => !later.includes(name));
  const create = sent.map((name) => [name, inputOf(fields[name])]);
  const narrowing = Object.entries(filters).map(([name, { input }]) => [name, input.optional()]);
  return {
    ...declaration,
    unset: unsetValues(fields),
    read: z.strictObject({ id: RecordId, ...outputs(fields), created }),
    // The loops lose which contract belongs to which field; the types state what they made.
    create: z.strictObject(Object.fromEntries(create) as Create<F, LaterOf<D>>),
    query: z.object({ ...pageQuery, q: partQuery, ...(Object.fromEntries(narrowing) as FiltersOf<D>) }),
  };
}

const inputOf = (field: Field | undefined) =>
  field?.required ? field.input : field?.input.nullable().optional();

/** All fields of one that is made: what was left out, or sent as null, reads as unset. */
export const withUnset = <Unset extends object>(
  unset: Unset,
  sent: { [K in keyof Unset]?: Unset[K] | null | undefined },
): Unset => tableOf<Unset>(keysOf(unset).map((name) => [name, sent[name] ?? unset[name]]));

/** A text that one can't be made without. */
export const requiredField = <I extends z.ZodType<string, string>>(
  kind: Field['kind'],
  input: I,
  output: z.ZodString,
) => ({
  kind,
  input,
  output,
  column: 'text' as const,
  unset: '',
  required: true as const,
});

/** Whose it is, as an address in lower case. */
export const emailField = (description: string) =>
  requiredField('email', Email, documented(z.string(), description, 'grace@example.com'));
