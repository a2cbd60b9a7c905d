import { ArrayType, defineEntity, p } from '@mikro-orm/core';
import type { ColumnType, Field, Fields } from '../contract/fields.ts';

/** Table with its columns and unique indexes, under the same name in MikroORM and in queries. */
export const table = <const Name extends string, const Columns extends Record<string, unknown>>(
  name: Name,
  columns: Columns,
  ...uniques: { name: string; properties: (keyof Columns)[] }[]
) => defineEntity({ name, tableName: name, properties: columns, uniques });

/** A moment, to the millisecond. */
export const moment = () => p.datetime(3).columnType('timestamptz(3)');

/** A list of texts; never null. */
export const textArray = () => p.type(new TextArray()).columnType('text[]');

/** A list of numbers; never null. */
export const numberArray = () => p.array(Number).columnType('double precision[]');

/** Columns every table of a site starts with: rows are found by site first, so tenants stay apart. */
export const sitePrimaryKey = { site_id: p.text().primary(), id: p.text().primary() };

export const bookkeeping = { created: moment(), updated: moment() };

/** When a draft is to be published; null when nobody said so, and for what is no draft. */
export const publishAt = () => moment().nullable();

/** The person who made a row; null for what a program made, or was there before anybody noted it. */
export const createdBy = () => p.text().nullable();

/** Counts the writes of a record. */
export const revision = () => p.integer().default(1);

const byType = {
  text: () => p.text(),
  'text[]': textArray,
  integer: () => p.integer(),
  numeric: () => p.decimal('number').columnType('numeric'),
  boolean: () => p.boolean(),
  'timestamptz(3)': moment,
} satisfies Record<ColumnType, () => unknown>;

/** A column whose values are of this type, as MikroORM's types see it. */
interface Column<Value> {
  '~type'?: { value: Value };
  '~options': Record<never, never>;
}

export type FieldColumns<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<infer _In, infer Out, infer _Required> ? Column<Out> : never;
};

/** One column per field, nullable where unset reads null. */
export function fieldColumns<F extends Fields>(fields: F) {
  const columns = Object.entries(fields).map(([name, field]) => {
    const column = byType[field.column]();
    return [name, field.unset === null ? column.nullable() : column] as const;
  });
  // The loop loses which column belongs to which field.
  return Object.fromEntries(columns) as unknown as FieldColumns<F>;
}

/** A column that PostgreSQL computes. MikroORM's types have no word for it: one with a default need not be given either. */
export interface ComputedColumn<Value> {
  '~type'?: { value: Value };
  '~options': { defaultRaw: string };
}

/** Whether readers see a record: the migration that adds it has the same condition. */
export const isPublic = (condition: string) =>
  // The builder's type says less than the column's.
  p.boolean().generated(`(${condition}) stored`) as unknown as ComputedColumn<boolean>;

/** A text that PostgreSQL computes from other columns: the migration that adds it has the same expression. */
export const computedText = <Value extends string = string>(expression: string) =>
  // The builder's type says less than the column's.
  p.text().generated(`(${expression}) stored`) as unknown as ComputedColumn<Value>;

/**
 * A list of texts as PostgreSQL's `text[]`. MikroORM's own writes an element bare or as JSON, which PostgreSQL reads as
 * something else when it is `null`, begins with a blank or has a line break.
 */
class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(value: string[] | null) {
    if (!Array.isArray(value)) return value;
    const elements = value.map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`);
    return `{${elements.join(',')}}`;
  }
}
