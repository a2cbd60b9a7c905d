import { z } from 'zod';
import { type FilterableFields, type FilterInput, filterShape } from './filters.ts';
import { fieldsQuery } from './pagination.ts';

/** Query of a list without its paging: filters by parameter, including `q` and `tag`, and the requested fields. */
interface ListQuery<Name extends string = string> {
  fields?: readonly Name[] | undefined;
  [filter: string]: unknown;
}

type InputShape = z.core.$ZodShape;

/** Input of a list: its paging, the filters that follow from the fields, and the names of the requested fields. */
type ListInput<Paging extends InputShape, F, Name extends string> = Flat<
  z.input<z.ZodObject<Paging>> & Omit<FilterInput<F>, keyof Paging> & { fields?: Name[] | undefined }
>;

type Flat<T> = { [K in keyof T]: T[K] };

/**
 * Returns the query schema of a list, derived from its fields. A parameter in `paging` replaces a filter with the
 * same name.
 */
export function listInput<Paging extends InputShape, F extends FilterableFields, const Name extends string>(
  paging: Paging,
  fields: F,
  names: readonly Name[],
) {
  const shape = { ...filterShape(fields), ...paging, fields: fieldsQuery(names) };
  // The types of the individual filters are lost in the loop; the cast states them.
  return z.object(shape).prefault({}) as unknown as z.ZodType<
    z.output<z.ZodObject<Paging>> & ListQuery<Name>,
    ListInput<Paging, F, Name> | undefined
  >;
}
