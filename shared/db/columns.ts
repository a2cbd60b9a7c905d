import { p } from '@mikro-orm/core';
import type { ColumnType, Fields } from '../contract/fields.ts';
import { TextArray } from './text-array.ts';

/** A moment, to the millisecond. */
export const moment = () => p.datetime(3).columnType('timestamptz(3)');

/** A list of texts; never null. */
export const textArray = () => p.type(new TextArray()).columnType('text[]');

/** A list of numbers; never null. */
export const numberArray = () => p.array(Number).columnType('double precision[]');

/** Columns every table of a site starts with: rows are found by site first, so tenants stay apart. */
export const sitePrimaryKey = { site_id: p.text().primary(), id: p.text().primary() };

export const bookkeeping = { created: moment(), updated: moment() };

const byType = {
  text: () => p.text(),
  'text[]': textArray,
  integer: () => p.integer(),
  numeric: () => p.decimal('number').columnType('numeric'),
  boolean: () => p.boolean(),
  'timestamptz(3)': moment,
} satisfies Record<ColumnType, () => unknown>;

/** One column per field, nullable where unset reads null. */
export function fieldColumns(fields: Fields) {
  const columns = Object.entries(fields).map(([name, field]) => {
    const column = byType[field.column]();
    return [name, field.unset === null ? column.nullable() : column] as const;
  });
  return Object.fromEntries(columns);
}
