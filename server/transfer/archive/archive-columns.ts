import { z } from 'zod';
import { boundedText, type Field, type Fields, slugPattern } from '../../../shared/contract/fields.ts';
import { maxSlugLength } from '../../../shared/contract/limits.ts';
import { recordIdPattern } from '../../../shared/contract/record-id.ts';
import { DateTime, toDate } from '../../../shared/contract/timestamps.ts';

/** Column of an archive: its contract, and the SQL form in which it is written. */
interface ArchiveColumn {
  contract: z.ZodType;
  as: 'value' | 'moment' | 'number';
}

export type Columns = Record<string, ArchiveColumn>;

export const value = (contract: z.ZodType): ArchiveColumn => ({ contract, as: 'value' });

/** Number without trailing decimal zeros. */
const number = (contract: z.ZodType): ArchiveColumn => ({ contract, as: 'number' });

/** Timestamps are RFC 3339 in UTC, with milliseconds. */
const ArchiveTimestamp = DateTime.transform((timestamp) => toDate(timestamp).toISOString());

export const timestamp: ArchiveColumn = { contract: ArchiveTimestamp, as: 'moment' };

export const timestampOrNull: ArchiveColumn = { contract: ArchiveTimestamp.nullable(), as: 'moment' };

/** Returns the column with a default value, for archives from before it existed. */
export const newer = ({ contract, as }: ArchiveColumn, unset: unknown): ArchiveColumn => ({
  contract: contract.prefault(unset),
  as,
});

/** Columns for fields, with the contract of what a caller may send. */
export const fieldColumns = (fields: Fields): Columns =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldColumn(field)]));

function fieldColumn({ kind, column, input, unset }: Field): ArchiveColumn {
  // A slug that is reserved here may have been free where the archive was made. `giveSlugs` changes it if needed.
  if (kind === 'slug')
    return value(z.union([z.literal(''), z.string().max(maxSlugLength).regex(slugPattern)]));
  if (column === 'timestamptz(3)') return timestampOrNull;
  const contract = unset === null ? input.nullable() : input;
  return column === 'numeric' ? number(contract) : value(contract);
}

/** Exported table: rows of a site, in a file of their own. */
export interface ArchiveTable {
  /** Name of the file without its extension; for records, their collection. */
  name: string;
  table: string;
  /** Columns of a row, in the order in which a line has them. */
  columns: Columns;
  contract: ReturnType<typeof rowContract>;
  /** Columns that identify a row within the site, and by which rows are sorted. */
  key: readonly string[];
  /** Columns other than `key` whose combination is unique within the site. */
  once?: readonly string[];
  /** Values that all rows share and that are not exported. */
  fixed?: Readonly<Record<string, string>>;
  /** Initial values of columns that are not exported, as SQL. */
  begins?: Readonly<Record<string, string>>;
  /**
   * Record that a row belongs to. `same` maps columns of the row to columns of the record that must be equal for the
   * row to be imported.
   */
  parent?: { table: string; by: string; same: Readonly<Record<string, string>> };
  /** Column with which reports name a row. */
  label: string;
}

/** Exported table before its contract is added. By default, `name` is that of the table, and `key` is `id`. */
export type DeclaredTable = Omit<ArchiveTable, 'contract' | 'name' | 'key'> &
  Partial<Pick<ArchiveTable, 'name' | 'key'>>;

export const rowContract = (columns: Columns) =>
  z
    .strictObject(Object.fromEntries(Object.entries(columns).map(([name, { contract }]) => [name, contract])))
    .refine(({ is_draft, publish_at }) => !publish_at || is_draft === true, {
      path: ['publish_at'],
      error: 'belongs to drafts only',
    });

export const id = { id: value(z.string().regex(recordIdPattern)) };
export const createdAt = { created: timestamp };
export const bookkeeping = { created: timestamp, updated: timestamp };
/** Declares a column for text with at most `max` UTF-16 units. */
export const line = (max: number) => value(boundedText(max));
