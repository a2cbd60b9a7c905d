import { ArrayType, defineEntity, p } from '@mikro-orm/core';
import type { ColumnType, Field, Fields } from '../contract/fields.ts';

/** Table with its columns and unique indexes. It has the same name in MikroORM and in queries. */
export const table = <const Name extends string, const Columns extends Record<string, unknown>>(
  name: Name,
  columns: Columns,
  ...uniques: { name: string; properties: (keyof Columns)[] }[]
) => defineEntity({ name, tableName: name, properties: columns, uniques });

/** Column for a timestamp, with milliseconds. */
export const timestampColumn = () => p.datetime(3).columnType('timestamptz(3)');

/** Column for a list of texts. It is never null. */
export const textArray = () => p.type(new TextArray()).columnType('text[]');

/** Column for a list of numbers. It is never null. */
export const numberArray = () => p.array(Number).columnType('double precision[]');

/** Primary key of most tables of a site. The site comes first, which keeps tenants apart. */
export const sitePrimaryKey = { site_id: p.text().primary(), id: p.text().primary() };

export const bookkeeping = { created: timestampColumn(), updated: timestampColumn() };

/** Column for the time at which a draft will be published. Null if no time is set, and for published records. */
export const publishAt = () => timestampColumn().nullable();

/**
 * Column for the ID of the person who created a row. Null if a program created it, or if the row is older than the
 * column.
 */
export const createdBy = () => p.text().nullable();

/** Column that counts the writes of a record. */
export const revision = () => p.integer().default(1);

const byType = {
  text: () => p.text(),
  'text[]': textArray,
  integer: () => p.integer(),
  numeric: () => p.decimal('number').columnType('numeric'),
  boolean: () => p.boolean(),
  'timestamptz(3)': timestampColumn,
} satisfies Record<ColumnType, () => unknown>;

/** Column with values of this type, in the form that MikroORM's types expect. */
interface Column<Value> {
  '~type'?: { value: Value };
  '~options': Record<never, never>;
}

export type FieldColumns<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<infer _In, infer Out, infer _Required> ? Column<Out> : never;
};

/**
 * Returns the columns for the fields of a contract. A column is nullable if its field reads as null when unset. Flags of
 * the studio have a default because they are newer than the baseline, and servers of the previous version insert rows
 * without them.
 */
export function fieldColumns<F extends Fields>(fields: F) {
  const columns = Object.entries(fields).map(([name, field]) => {
    const isNewFlag = field.ownersOnly && field.column === 'boolean';
    const column = isNewFlag ? p.boolean().default(false) : byType[field.column]();
    return [name, field.unset === null ? column.nullable() : column] as const;
  });
  // `Object.fromEntries` loses the relation between field and column types.
  return Object.fromEntries(columns) as unknown as FieldColumns<F>;
}

/**
 * Column that PostgreSQL computes. MikroORM's types have no option for it. They treat a column with a default as
 * optional on insert too.
 */
export interface ComputedColumn<Value> {
  '~type'?: { value: Value };
  '~options': { defaultRaw: string };
}

/**
 * Generated column that is true for public records, and false for unlisted pages. The migration that adds it contains
 * the same condition.
 */
export const isPublic = (condition: string) =>
  // MikroORM's type does not show that the column is computed.
  p.boolean().generated(`(${condition}) stored`) as unknown as ComputedColumn<boolean>;

/**
 * Declares a text that PostgreSQL computes from other columns. The migration that adds the column has the same
 * expression.
 */
export const computedText = <Value extends string = string>(expression: string) =>
  // MikroORM's type does not show that the column is computed, or its values.
  p.text().generated(`(${expression}) stored`) as unknown as ComputedColumn<Value>;

/**
 * List of texts as PostgreSQL's `text[]`, with every element in quotes. MikroORM's own type writes most elements
 * without quotes: PostgreSQL then reads `null` as NULL and drops outer spaces. It writes the others as JSON, whose `\n`
 * PostgreSQL reads as `n`.
 */
class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(value: string[] | null) {
    if (!Array.isArray(value)) return value;
    const elements = value.map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`);
    return `{${elements.join(',')}}`;
  }
}
