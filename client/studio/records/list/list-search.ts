import type { z } from 'zod';
import type { Field } from '../../../../shared/contract/fields.ts';
import { type FieldFilter, filterShape, filtersOf } from '../../../../shared/contract/filters.ts';
import { type Sort, sortQuery } from '../../../../shared/contract/pagination.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { shapeOf } from '../../data/record-shape.ts';
import type { Values } from '../../data/records.ts';
import type { SearchParams } from '../../data/search-params.ts';
import { longDay, type TimeFormat } from '../../strings/time-format.ts';
import { strings } from '../../strings/ui-strings.ts';

/** Publication states that a list can be filtered by. */
const states = ['draft', 'scheduled', 'public', 'unlisted', 'private'] as const;

export type State = (typeof states)[number];

/** Returns the states that records of a resource can have. */
export const statesOf = ({ fields }: Resource): State[] =>
  states.filter((state) => 'is_draft' in fields || (state !== 'draft' && state !== 'scheduled'));

const newest: Sort = '-created';

/** Returns the sort orders that the service allows for a resource. */
export const sortsOf = ({ fields }: Resource): readonly Sort[] => sortQuery(fields).def.innerType.options;

/**
 * Reads filters and sort order of a list from the address. Invalid values are ignored; without a valid sort order,
 * the newest records come first. `state` is undefined if the list is not filtered by it.
 */
export function readListSearch(
  resource: Resource,
  filters: readonly FilteredField[],
  search: SearchParams,
  timeFormat: TimeFormat,
) {
  const state = statesOf(resource).find((item) => item === search.state);
  const sort = sortsOf(resource).find((item) => item === search.sort) ?? newest;
  const q = typeof search.q === 'string' ? search.q : '';
  const filter = {
    ...(q && { q }),
    ...filterInput(filters, search, timeFormat),
    ...stateInput(resource, state),
  };
  return { state, sort, filter, isFiltered: Object.keys(filter).length > 0 };
}

export type ListSearch = ReturnType<typeof readListSearch>;

/** Converts a state into filters of the service. */
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

/** Number of rows per page of a list. */
export const rowsPerPage = 50;

/** Adds the page parameters to a list request. */
export const pageInput = <Input extends object>(input: Input, page: number) => ({
  ...input,
  page,
  per_page: rowsPerPage,
});

/** Returns the request for a list of records, without its page. */
export const listInput = (resource: Resource, { sort, filter }: ListSearch): Values => ({
  sort,
  fields: shownNames(resource),
  ...filter,
});

/** Returns the names of the fields that rows need, so that long texts are not loaded. */
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
    // Bulk actions need the revision for their precondition.
    'revision',
  ];
}

/** A field that a list can be filtered by, with its filters. */
export interface FilteredField {
  name: string;
  /** Undefined for columns that every record has in addition to its fields. */
  field: Field | undefined;
  questions: Question[];
}

interface Question extends FieldFilter {
  /** Schema of the query parameter. */
  schema: z.ZodType | undefined;
}

/** Fields without a filter of their own, because the filter by publication state covers them. */
const inStates = ['is_draft', 'visibility'];

/** Returns the fields that a list can be filtered by, in the contract's order. */
export function filteredFields({ fields }: Resource): FilteredField[] {
  const filters = filtersOf(fields).filter(({ field }) => !inStates.includes(field));
  const shape = filterShape(fields);
  return [...Map.groupBy(filters, ({ field }) => field)].map(([name, questions]) => ({
    name,
    field: fields[name],
    questions: questions.map((filter) => ({ ...filter, schema: shape[filter.parameter] })),
  }));
}

/** Converts filters in the address into a request, without those that the service would refuse. */
function filterInput(fields: readonly FilteredField[], search: SearchParams, timeFormat: TimeFormat): Values {
  const given = fields.flatMap(({ questions }) =>
    questions.flatMap((filter) => {
      const given = search[filter.parameter];
      if (given === undefined) return [];
      const value = valueFor(filter, given, timeFormat);
      return filter.schema?.safeParse(value).success ? [[filter.parameter, value] as const] : [];
    }),
  );
  return Object.fromEntries(given);
}

function valueFor(
  { kind, question }: FieldFilter,
  given: string | string[],
  { beginningOf }: TimeFormat,
): unknown {
  if (question === 'any') return [given].flat();
  // Days in the address are days in the site's time zone.
  return kind === 'moment' ? beginningOf(String(given)) : given;
}

/** Describes the filters of one field. Empty if none is set in the address. */
export function filterLabels({ field, questions }: FilteredField, search: SearchParams): string {
  const labels = questions.flatMap(({ parameter, question, kind }) => {
    const given = [search[parameter] ?? []].flat();
    if (given.length === 0) return [];
    const [first = ''] = given;
    const shown = kind === 'moment' ? longDay(first) : first;
    return question === 'any'
      ? given.map((value) => field?.choices?.[value] ?? value).join(', ')
      : strings.lists.conditions[question](shown);
  });
  return labels.join(', ');
}
