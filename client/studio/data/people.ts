import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { queryOf } from './query-of.ts';

export type StaffMember = OutputOf<ApiClient['studio']['people']['list']>['data'][number];

export const peopleKey = ['people'];

export const peopleQuery = ({ studio }: ApiClient) => queryOf(peopleKey, studio.people.list, undefined);

/** What somebody is called, who may not have said a name yet. */
export const nameOf = ({ name, email }: StaffMember) => name || email;
