import type { z } from 'zod';
import type { Field } from '../../../../shared/contract/fields.ts';
import { type FieldFilter, filterShape, filtersOf } from '../../../../shared/contract/filters.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import type { Values } from '../../data/records.ts';
import type { SearchParams } from '../../data/search-params.ts';
import { longDay, type Moments } from '../../texts/moments.ts';
import { texts } from '../../texts/texts.ts';

/** What a list can be asked about one field. */
export interface FilteredField {
  name: string;
  /** Undefined for what every record has besides its fields. */
  field: Field | undefined;
  questions: Question[];
}

interface Question extends FieldFilter {
  /** What the service takes for it. */
  schema: z.ZodType | undefined;
}

/** Those that the states of a record ask for. */
const inStates = ['is_draft', 'visibility'];

/** The fields that a list can be filtered by, in the contract's order. */
export function filteredFields({ fields }: Resource): FilteredField[] {
  const filters = filtersOf(fields).filter(({ field }) => !inStates.includes(field));
  const shape = filterShape(fields);
  return [...Map.groupBy(filters, ({ field }) => field)].map(([name, questions]) => ({
    name,
    field: fields[name],
    questions: questions.map((filter) => ({ ...filter, schema: shape[filter.parameter] })),
  }));
}

/** What the address asks of the fields, as the service takes it; what it doesn't take is left out. */
export function filterInput(
  fields: readonly FilteredField[],
  search: SearchParams,
  moments: Moments,
): Values {
  const given = fields.flatMap(({ questions }) =>
    questions.flatMap((filter) => {
      const given = search[filter.parameter];
      if (given === undefined) return [];
      const value = valueFor(filter, given, moments);
      return filter.schema?.safeParse(value).success ? [[filter.parameter, value] as const] : [];
    }),
  );
  return Object.fromEntries(given);
}

function valueFor(
  { kind, question }: FieldFilter,
  given: string | string[],
  { beginningOf }: Moments,
): unknown {
  if (question === 'any') return [given].flat();
  // Days in the address are days in the site's time zone.
  return kind === 'moment' ? beginningOf(String(given)) : given;
}

/** What is asked of one field, in words; empty when nothing is. */
export function filterWords({ field, questions }: FilteredField, search: SearchParams): string {
  const words = questions.flatMap(({ parameter, question, kind }) => {
    const given = [search[parameter] ?? []].flat();
    if (given.length === 0) return [];
    const [first = ''] = given;
    const shown = kind === 'moment' ? longDay(first) : first;
    return question === 'any'
      ? given.map((value) => field?.choices?.[value] ?? value).join(', ')
      : texts.lists.conditions[question](shown);
  });
  return words.join(', ');
}
