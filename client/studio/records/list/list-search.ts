import type { z } from 'zod';
import type { Field } from '../../../../shared/contract/fields.ts';
import { type FieldFilter, filterShape, filtersOf } from '../../../../shared/contract/filters.ts';
import { type Sort, sortQuery } from '../../../../shared/contract/pagination.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import type { Values } from '../../data/records.ts';
import type { SearchParams } from '../../data/search-params.ts';
import { shapeOf } from '../../data/shape.ts';
import { longDay, type Moments } from '../../strings/moments.ts';
import { texts } from '../../strings/texts.ts';

/** How a record stands towards its readers. */
const states = ['draft', 'scheduled', 'public', 'unlisted', 'private'] as const;

export type State = (typeof states)[number];

/** The states that records with these fields can be in. */
export const statesOf = ({ fields }: Resource): State[] =>
  states.filter((state) => 'is_draft' in fields || (state !== 'draft' && state !== 'scheduled'));

const newest: Sort = '-created';

/** The orders that a list can have. */
export const sortsOf = ({ fields }: Resource): readonly Sort[] => sortQuery(fields).def.innerType.options;

/** What an address asks of a list, read so that any text in it makes a list. */
export function readListSearch(
  resource: Resource,
  filters: readonly FilteredField[],
  search: SearchParams,
  moments: Moments,
) {
  const state = statesOf(resource).find((item) => item === search.state);
  const sort = sortsOf(resource).find((item) => item === search.sort) ?? newest;
  const q = typeof search.q === 'string' ? search.q : '';
  const narrowing = {
    ...(q && { q }),
    ...filterInput(filters, search, moments),
    ...stateInput(resource, state),
  };
  return { state, sort, narrowing, isNarrowed: Object.keys(narrowing).length > 0 };
}

export type ListSearch = ReturnType<typeof readListSearch>;

/** A state as filters of the service. */
function stateInput({ fields }: Resource, state: State | undefined): Values {
  switch (state) {
    case undefined:
      return {};
    case 'draft':
      return { is_draft: true };
    case 'scheduled':
      return { publish_at_from: new Date(0) };
    default:
      return { visibility: [state], ...('is_draft' in fields && { is_draft: false }) };
  }
}

export const rowsPerPage = 50;

/** What a list of the service is asked for one of its pages. */
export const pageInput = <Input extends object>(input: Input, page: number) => ({
  ...input,
  page,
  per_page: rowsPerPage,
});

/** What the list of a collection is asked besides. */
export const listInput = (resource: Resource, { sort, narrowing }: ListSearch): Values => ({
  sort,
  fields: shownNames(resource),
  ...narrowing,
});

/** What rows are made of, so that long texts stay where they are. */
function shownNames(resource: Resource) {
  const { title, columns, hasDrafts } = shapeOf(resource);
  return [
    'id',
    title,
    ...columns.map(([name]) => name),
    'visibility',
    ...(hasDrafts ? ['is_draft', 'publish_at'] : []),
    ...('published_at' in resource.fields ? ['published_at'] : []),
    'created',
    'updated',
    // What is done with several is written on top of what their owner sees.
    'revision',
  ];
}

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
function filterInput(fields: readonly FilteredField[], search: SearchParams, moments: Moments): Values {
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
