import { z } from 'zod';
import { type FilterableFields, type FilterInput, filterShape } from './filters.ts';
import { fieldsQuery } from './pagination.ts';

/** What of a list was asked for, besides the page: filters by their parameters, `q` and `tag` among them. */
interface ListQuery<Name extends string = string> {
  fields?: readonly Name[] | undefined;
  [filter: string]: unknown;
}

type InputShape = z.core.$ZodShape;

/** What a list takes: its paging, the filters that follow from the fields, and the names of fields to show. */
type ListInput<Paging extends InputShape, F, Name extends string> = Flat<
  z.input<z.ZodObject<Paging>> & Omit<FilterInput<F>, keyof Paging> & { fields?: Name[] | undefined }
>;

type Flat<T> = { [K in keyof T]: T[K] };

/** The contract of a list, made of its fields. What `paging` has goes before a filter of the same name. */
export function listInput<Paging extends InputShape, F extends FilterableFields, const Name extends string>(
  paging: Paging,
  fields: F,
  names: readonly Name[],
) {
  const shape = { ...filterShape(fields), ...paging, fields: fieldsQuery(names) };
  // The loop over the fields loses which filter takes what; the type states what it made.
  return z.object(shape).prefault({}) as unknown as z.ZodType<
    z.output<z.ZodObject<Paging>> & ListQuery<Name>,
    ListInput<Paging, F, Name> | undefined
  >;
}
