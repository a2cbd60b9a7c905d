import type { z } from 'zod';
import type { Field, Fields } from '../../../../shared/contract/fields.ts';
import { DateTime, toDate } from '../../../../shared/contract/moments.ts';

/** A column as archives have it: its contract, and which SQL writes it the same way every time. */
export interface ArchiveColumn {
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
