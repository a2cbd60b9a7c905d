import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Sort, sortQuery } from '../../../shared/contract/pagination.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import type { SearchParams } from '../app/search-params.ts';
import type { Values } from '../data/records.ts';
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
export function readListSearch(resource: Resource, filters: readonly FilteredField[], search: SearchParams) {
  const state = statesOf(resource).find((known) => known === search.state);
  const sort = sortsOf(resource).find((known) => known === search.sort) ?? newest;
  const page = Math.max(1, Math.trunc(Number(search.page)) || 1);
  const q = typeof search.q === 'string' ? search.q : '';
  const narrowing = { ...(q && { q }), ...filterInput(filters, search), ...stateInput(resource, state) };
  return { state, sort, page, q, narrowing, isNarrowed: Object.keys(narrowing).length > 0 };
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

/** The address of a list, and how to ask for another: from its first page, unless a page is what is asked for. */
export function useListAddress({ collection }: Resource) {
  const search: SearchParams = useSearch({ from: '/$collection' });
  const navigate = useNavigate();
  const go = (next: SearchParams) =>
    void navigate({ to: '/$collection', params: { collection }, search: next, replace: true });
  return {
    search,
    change: (changes: SearchParams) => go({ ...search, page: undefined, ...changes }),
    /** Everything, in the order that it has. */
    clear: () => go({ sort: search.sort }),
  };
}
