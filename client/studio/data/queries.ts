import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../sdk/index.ts';

/** The site that one works on, as everybody there sees it. */
export const siteQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['site'],
    queryFn: ({ signal }) => api.studio.site.shown.query(undefined, { signal }),
  });

/** Its settings, for owners. */
export const settingsQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['site', 'settings'],
    queryFn: ({ signal }) => api.studio.site.get.query(undefined, { signal }),
  });

/** Who the site is about. */
export const profileQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['profile'],
    queryFn: ({ signal }) => api.studio.profile.get.query(undefined, { signal }),
  });

/** Whether mail is kept rather than sent, which no process changes while it runs. */
export const hasOutboxQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['outbox', 'enabled'],
    queryFn: async ({ signal }) => (await api.studio.outbox.list.query({ per_page: 1 }, { signal })).enabled,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What lacks so that newsletters arrive. */
export const deliveryGapsQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['site', 'delivery'],
    queryFn: ({ signal }) => api.studio.mailings.delivery.query(undefined, { signal }),
  });

export const keysQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['api-keys'],
    queryFn: ({ signal }) => api.admin.apiKeys.list.query(undefined, { signal }),
  });

export const webhooksQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => api.admin.webhooks.list.query(undefined, { signal }),
  });

/** One delivery of a subscription, with its body and attempts. */
export const deliveryQuery = (api: ApiClient, id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhooks', id, 'delivery', deliveryId],
    queryFn: ({ signal }) =>
      api.admin.webhooks.getDelivery.query({ id, delivery_id: deliveryId }, { signal }),
    refetchInterval: 2_000,
  });

/** The modules and lessons of a course, without the bodies of lessons. */
export const curriculumQuery = (api: ApiClient, courseId: string) =>
  queryOptions({
    queryKey: ['curriculum', courseId],
    queryFn: ({ signal }) => api.studio.curriculum.get.query({ course_id: courseId }, { signal }),
  });
