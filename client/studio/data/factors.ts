import { queryOptions } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';

export type Factor = OutputOf<ApiClient['studio']['factors']['list']>['data'][number];

/** What somebody proves by that it is they, and how many recovery codes they have. */
export const factorsQuery = ({ studio }: ApiClient) =>
  queryOptions({
    queryKey: ['factors'],
    queryFn: ({ signal }) => studio.factors.list.query(undefined, { signal }),
  });
