import { z } from 'zod';
import { documented } from '../documented.ts';
import { created } from '../envelopes.ts';
import { Email, type Field, type Fields, outputs, unsetValues } from '../fields.ts';
import { keysOf, tableOf } from '../names-of.ts';
import { pageQuery, partQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';

/**
 * Filter of a list by one column. `equal` matches the rows with the given value. `key` matches the one row with the
 * given value, by the unique index of the column. `set` matches rows without null in the column if the value is true,
 * and rows with null if it is false.
 */
interface AudienceFilter {
  input: z.ZodType;
  is: 'equal' | 'key' | 'set';
  column: string;
}

interface AudienceDeclaration<F extends Fields> {
  /** Name of its table, and of the collection in events. */
  collection: string;
  /** Columns in the database and in archives, and the fields that the owner reads. */
  fields: F;
  /** Fields that cannot be sent on creation. */
  later?: readonly (keyof F & string)[];
  /**
   * Columns in which a list searches for a part of a text. The alternative is `search`, a column with the values of
   * several others in lower case. The index of the list contains it and the filtered columns.
   */
  searched: 'search' | readonly (keyof F & string)[];
  filters?: Record<string, AudienceFilter>;
}

/**
 * Audience table: a kind of rows that people leave on a site, such as subscribers. The owner's list shows the newest
 * first.
 */
export interface AudienceTable extends AudienceDeclaration<Fields> {
  read: z.ZodObject;
}

type Create<F extends Fields, Later> = {
  [K in keyof F as K extends Later ? never : K]: F[K] extends { required: true }
    ? F[K]['input']
    : z.ZodOptional<z.ZodNullable<F[K]['input']>>;
};

type FiltersOf<D> = D extends { filters: infer Filters extends Record<string, AudienceFilter> }
  ? { [K in keyof Filters]: z.ZodOptional<Filters[K]['input']> }
  : Record<never, never>;

type LaterOf<D> = D extends { later: readonly (infer Name)[] } ? Name : never;

/** Declares an audience table with its contracts. */
export function defineAudienceTable<
  const F extends Fields,
  const D extends Omit<AudienceDeclaration<F>, 'fields'>,
>(declaration: D & { fields: F }) {
  const { fields, later: notOnCreate = [], filters = {} } = declaration;
  const sent = keysOf(fields).filter((name) => !notOnCreate.includes(name));
  const create = sent.map((name) => [name, inputOf(fields[name])]);
  const narrowing = Object.entries(filters).map(([name, { input }]) => [name, input.optional()]);
  return {
    ...declaration,
    unset: unsetValues(fields),
    read: z.strictObject({ id: RecordId, ...outputs(fields), created }),
    // The loops lose the relation between contracts and fields; the types state it.
    create: z.strictObject(Object.fromEntries(create) as Create<F, LaterOf<D>>),
    query: z.object({ ...pageQuery, q: partQuery, ...(Object.fromEntries(narrowing) as FiltersOf<D>) }),
  };
}

const inputOf = (field: Field | undefined) =>
  field?.required ? field.input : field?.input.nullable().optional();

/** Returns all fields of a new row. Fields that `sent` lacks, or that are null, get their unset value. */
export const withUnset = <Unset extends object>(
  unset: Unset,
  sent: { [K in keyof Unset]?: Unset[K] | null | undefined },
): Unset => tableOf<Unset>(keysOf(unset).map((name) => [name, sent[name] ?? unset[name]]));

/** Declares a required text field. */
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

/** Declares a required email address, stored in lower case with the domain as A-labels. */
export const emailField = (description: string) =>
  requiredField('email', Email, documented(z.string(), description, 'grace@example.com'));
