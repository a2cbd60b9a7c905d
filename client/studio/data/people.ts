import { queryOptions } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';

export type StaffMember = OutputOf<ApiClient['studio']['people']['list']>['data'][number];

export const peopleKey = ['people'];

export const peopleQuery = ({ studio }: ApiClient) =>
  queryOptions({
    queryKey: peopleKey,
    queryFn: ({ signal }) => studio.people.list.query(undefined, { signal }),
  });

/** What somebody is called, who may not have said a name yet. */
export const nameOf = ({ name, email }: StaffMember) => name || email;
