import { keepPreviousData, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { SearchParams } from '../../data/search-params.ts';
import { pageInput, rowsPerPage } from './list-search.ts';

/**
 * Returns the search parameters of a list's address, and functions that change them. A changed filter starts at the first
 * page.
 */
export function useListAddress() {
  const search: SearchParams = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (next: SearchParams) => void navigate({ to: '.', search: next, replace: true });
  const { page, sort, ...filter } = search;
  return {
    search,
    /** Returns the first value of a parameter in the address; undefined if it is missing or empty. */
    param: (name: string): string | undefined => [search[name]].flat()[0] || undefined,
    page: Math.max(1, Math.trunc(Number(page)) || 1),
    isFiltered: Object.values(filter).some(Boolean),
    change: (changes: SearchParams) => go({ ...search, page: undefined, ...changes }),
    goTo: (next: number) => go({ ...search, page: next === 1 ? undefined : String(next) }),
    /** Removes all filters and keeps the order. */
    clear: () => go({ sort }),
  };
}

/** Returns a value if it is one of the choices, else undefined. */
export const oneOf = <const Choice extends string>(choices: readonly Choice[], given: string | undefined) =>
  choices.find((choice) => choice === given);

interface ListPageData<Row> {
  items: readonly Row[];
  total: number;
}

interface PageQuery<Row> {
  queryKey: QueryKey;
  queryFn(context: { signal: AbortSignal }): Promise<ListPageData<Row>>;
  /**
   * Interval between fetches while the list is shown, in milliseconds; or a function of the rows, where false means never.
   */
  refetchInterval?: number | ((rows: readonly Row[]) => number | false);
}

/**
 * Returns the query of the list's page that the address requests. It prefetches the next page, and shows the previous
 * rows while it loads. `data` is undefined until the first page has loaded.
 */
export function useListPage<Row>(pageQuery: (page: number) => PageQuery<Row>) {
  const queries = useQueryClient();
  const { page } = useListAddress();
  const { refetchInterval: again, ...query } = pageQuery(page);
  const list = useQuery({
    ...query,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (typeof again === 'function' ? again(state.data?.items ?? []) : again),
  });
  const hasNext = list.data && !list.isPlaceholderData && page * rowsPerPage < list.data.total;
  useEffect(() => {
    if (hasNext) void queries.prefetchQuery(pageQuery(page + 1));
  }, [hasNext, page]);
  return list;
}

interface ListProcedure<Row, Input> {
  query(
    input: Input & { page?: number; per_page?: number },
    options: { signal: AbortSignal },
  ): Promise<ListPageData<Row>>;
}

/** Returns the queries for the pages of a list, cached under `name`. `input` contains the other parameters. */
export const pagesOf =
  <Row, Input extends object>(name: string, list: ListProcedure<Row, Input>, input: Input) =>
  (page: number): PageQuery<Row> => ({
    queryKey: [name, 'list', input, page],
    queryFn: ({ signal }) => list.query(pageInput(input, page), { signal }),
  });

/** One page of a list, as far as it has loaded. */
export interface ListPage<Row> {
  data: ListPageData<Row> | undefined;
  error: Error | null;
  /** True while the rows are those of the previous page or filter. */
  isPlaceholderData: boolean;
  refetch(): unknown;
}

/** Returns one page of a list that the service returns completely. `data` is undefined until the list has loaded. */
export function useWholeList<Row>({
  data: all,
  ...list
}: Omit<ListPage<Row>, 'data'> & { data: { data: readonly Row[] } | undefined }): ListPage<Row> {
  const { page } = useListAddress();
  const items = all?.data.slice((page - 1) * rowsPerPage, page * rowsPerPage);
  return { ...list, data: items && { items, total: all?.data.length ?? 0 } };
}
