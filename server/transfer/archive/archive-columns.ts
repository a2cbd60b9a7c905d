import { z } from 'zod';
import { boundedText, type Field, type Fields } from '../../../shared/contract/fields.ts';
import { DateTime, toDate } from '../../../shared/contract/moments.ts';
import { recordIdPattern } from '../../../shared/contract/record-id.ts';

/** A column as archives have it: its contract, and which SQL writes it the same way every time. */
interface ArchiveColumn {
  contract: z.ZodType;
  as: 'value' | 'moment' | 'number';
}

export type Columns = Record<string, ArchiveColumn>;

export const value = (contract: z.ZodType): ArchiveColumn => ({ contract, as: 'value' });

/** Numbers lose the zeros that their decimals may end with. */
const number = (contract: z.ZodType): ArchiveColumn => ({ contract, as: 'number' });

/** Moments are RFC 3339 in UTC, to the millisecond. */
const Moment = DateTime.transform((moment) => toDate(moment).toISOString());

export const moment: ArchiveColumn = { contract: Moment, as: 'moment' };

export const momentOrNull: ArchiveColumn = { contract: Moment.nullable(), as: 'moment' };

/** What archives from before it was there don't say holds what it does when nobody set it. */
export const newer = ({ contract, as }: ArchiveColumn, unset: unknown): ArchiveColumn => ({
  contract: contract.prefault(unset),
  as,
});

/** The columns of fields: what a caller may send, and what they hold when nobody set them. */
export const fieldColumns = (fields: Fields): Columns =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldColumn(field)]));

function fieldColumn({ column, input, unset }: Field): ArchiveColumn {
  if (column === 'timestamptz(3)') return momentOrNull;
  const contract = unset === null ? input.nullable() : input;
  return column === 'numeric' ? number(contract) : value(contract);
}

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
