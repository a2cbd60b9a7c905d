import { z } from 'zod';
import { boundedText } from '../../../../shared/contract/fields.ts';
import { recordIdPattern } from '../../../../shared/contract/record-id.ts';
import { type Columns, moment, value } from './columns.ts';

/** Rows of a site that move with it, in a file of their own. */
export interface Carried {
  /** Name of the file, without its ending; of records, their collection. */
  name: string;
  table: string;
  /** All that is said of a row, in the order in which its line says it. */
  columns: Columns;
  contract: ReturnType<typeof rowContract>;
  /** What a row is known by within the site, and what the rows are ordered by. */
  key: readonly string[];
  /** What only one row of the site may have, besides its key. */
  once?: readonly string[];
  /** The same in every row, and not said of any. */
  fixed?: Readonly<Record<string, string>>;
  /** What columns that no line has begin with, as SQL. */
  begins?: Readonly<Record<string, string>>;
  /** The record that a row belongs to; columns of `same` say what that has to hold for the row to be true of it. */
  parent?: { table: string; by: string; same: Readonly<Record<string, string>> };
  /** What a row is called in reports. */
  label: string;
}

/** The same before it has its contract. */
export type Declared = Omit<Carried, 'contract'>;

export const rowContract = (columns: Columns) =>
  z
    .strictObject(Object.fromEntries(Object.entries(columns).map(([name, { contract }]) => [name, contract])))
    .refine(({ is_draft, publish_at }) => !publish_at || is_draft === true, {
      path: ['publish_at'],
      error: 'belongs to drafts only',
    });

export const id = { id: value(z.string().regex(recordIdPattern)) };
export const createdAt = { created: moment };
export const bookkeeping = { created: moment, updated: moment };
export const line = (max: number) => value(boundedText(max));
