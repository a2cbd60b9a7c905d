import { type Sort, sortQuery } from '../../../../shared/contract/pagination.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import type { Values } from '../../data/records.ts';
import type { SearchParams } from '../../data/search-params.ts';
import { shapeOf } from '../../data/shape.ts';
import type { Moments } from '../../texts/moments.ts';
import { type FilteredField, filterInput } from './list-filters.ts';

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
