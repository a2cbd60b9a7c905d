import { type QueryKey, queryOptions } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';

interface Read<Input, Output> {
  query(input: Input, options: { signal: AbortSignal }): Promise<Output>;
}

/** What a procedure of the service answers, and the key that it is kept under. */
export const queryOf = <Input, Output>(queryKey: QueryKey, procedure: Read<Input, Output>, input: Input) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => procedure.query(input, { signal }) });

/** The site that one works on, as everybody there sees it. */
export const siteQuery = (api: ApiClient) => queryOf(['site'], api.studio.site.shown, undefined);

/** Its settings, for owners. */
export const settingsQuery = (api: ApiClient) =>
  queryOf(['site', 'settings'], api.studio.site.get, undefined);

/** Who the site is about. */
export const profileQuery = (api: ApiClient) => queryOf(['profile'], api.studio.profile.get, undefined);

/** Whether mail is kept rather than sent, which no process changes while it runs. */
export const hasOutboxQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['outbox', 'enabled'],
    queryFn: async ({ signal }) => (await api.studio.outbox.list.query({ per_page: 1 }, { signal })).enabled,
    staleTime: 'static',
  });

/** Missing conditions for the delivery of newsletters. */
export const deliveryGapsQuery = (api: ApiClient) =>
  queryOf(['site', 'delivery'], api.studio.mailings.delivery, undefined);

export const keysQuery = (api: ApiClient) => queryOf(['api-keys'], api.admin.apiKeys.list, undefined);

export const webhooksQuery = (api: ApiClient) => queryOf(['webhooks'], api.admin.webhooks.list, undefined);

/** One delivery of a subscription, with its body and attempts. */
export const deliveryQuery = (api: ApiClient, id: string, deliveryId: string) =>
  queryOptions({
    ...queryOf(['webhooks', id, 'delivery', deliveryId], api.admin.webhooks.getDelivery, {
      id,
      delivery_id: deliveryId,
    }),
    refetchInterval: 2_000,
  });

/** The modules and lessons of a course, without the bodies of lessons. */
export const curriculumQuery = (api: ApiClient, courseId: string) =>
  queryOf(['curriculum', courseId], api.studio.curriculum.get, { course_id: courseId });

/** An assistant that asks to be let in. */
export type AskingAssistant = OutputOf<ApiClient['studio']['assistants']['request']>;

export type ConnectedAssistant = OutputOf<ApiClient['studio']['assistants']['list']>['data'][number];

export const connectedKey = ['assistants', 'connected'];

export const connectedQuery = ({ studio }: ApiClient) =>
  queryOf(connectedKey, studio.assistants.list, undefined);

export type Factor = OutputOf<ApiClient['studio']['factors']['list']>['data'][number];

/** What somebody proves by that it is they, and how many recovery codes they have. */
export const factorsQuery = ({ studio }: ApiClient) => queryOf(['factors'], studio.factors.list, undefined);

export type StaffMember = OutputOf<ApiClient['studio']['people']['list']>['data'][number];

export const peopleKey = ['people'];

export const peopleQuery = ({ studio }: ApiClient) => queryOf(peopleKey, studio.people.list, undefined);

/** What somebody is called, who may not have said a name yet. */
export const nameOf = ({ name, email }: StaffMember) => name || email;
