import { type QueryKey, queryOptions } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';

interface Read<Input, Output> {
  query(input: Input, options: { signal: AbortSignal }): Promise<Output>;
}

/** Returns the query of a procedure, cached under `queryKey`. Its request is aborted when the query is canceled. */
export const queryOf = <Input, Output>(queryKey: QueryKey, procedure: Read<Input, Output>, input: Input) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => procedure.query(input, { signal }) });

/** Returns the query of the current site, as all its staff see it. */
export const siteQuery = (api: ApiClient) => queryOf(['site'], api.studio.site.shown, undefined);

/** Returns the query of the site's settings, for owners. */
export const settingsQuery = (api: ApiClient) =>
  queryOf(['site', 'settings'], api.studio.site.get, undefined);

/** Returns the query of the public profile of the site's owner. */
export const profileQuery = (api: ApiClient) => queryOf(['profile'], api.studio.profile.get, undefined);

/**
 * Returns the query of a setting: true if mail is stored in an outbox instead of sent. The setting does not change
 * while a process of the service runs.
 */
export const hasOutboxQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['outbox', 'enabled'],
    queryFn: async ({ signal }) => (await api.studio.outbox.list.query({ per_page: 1 }, { signal })).enabled,
    staleTime: 'static',
  });

/** Returns the query of the conditions that are missing to deliver newsletters. */
export const deliveryGapsQuery = (api: ApiClient) =>
  queryOf(['site', 'delivery'], api.studio.mailings.delivery, undefined);

export const keysQuery = (api: ApiClient) => queryOf(['api-keys'], api.admin.apiKeys.list, undefined);

export const webhooksQuery = (api: ApiClient) => queryOf(['webhooks'], api.admin.webhooks.list, undefined);

/**
 * Returns the query of one delivery of a subscription, with its body and attempts. It is fetched again every two
 * seconds.
 */
export const deliveryQuery = (api: ApiClient, id: string, deliveryId: string) =>
  queryOptions({
    ...queryOf(['webhooks', id, 'delivery', deliveryId], api.admin.webhooks.getDelivery, {
      id,
      delivery_id: deliveryId,
    }),
    refetchInterval: 2_000,
  });

/** Returns the query of the modules and lessons of a course, without the bodies of lessons. */
export const curriculumQuery = (api: ApiClient, courseId: string) =>
  queryOf(['curriculum', courseId], api.studio.curriculum.get, { course_id: courseId });

/** A pending connection request of an assistant. */
export type AssistantRequest = OutputOf<ApiClient['studio']['assistants']['request']>;

export type ConnectedAssistant = OutputOf<ApiClient['studio']['assistants']['list']>['data'][number];

export const connectedKey = ['assistants', 'connected'];

export const connectedQuery = ({ studio }: ApiClient) =>
  queryOf(connectedKey, studio.assistants.list, undefined);

export type Factor = OutputOf<ApiClient['studio']['factors']['list']>['data'][number];

/** Returns the query of the user's sign-in factors, and of the number of remaining recovery codes. */
export const factorsQuery = ({ studio }: ApiClient) => queryOf(['factors'], studio.factors.list, undefined);

export type StaffMember = OutputOf<ApiClient['studio']['people']['list']>['data'][number];

export const peopleKey = ['people'];

export const peopleQuery = ({ studio }: ApiClient) => queryOf(peopleKey, studio.people.list, undefined);

/** Returns the name of a staff member, or the email address if there is none. */
export const nameOf = ({ name, email }: StaffMember) => name || email;
