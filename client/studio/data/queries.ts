import { queryOptions } from '@tanstack/react-query';
import type { DeliveryStatus } from '../../../shared/contract/webhooks.ts';
import type { ApiClient } from '../../sdk/index.ts';

/** The site that is administered. */
export const siteQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['site'],
    queryFn: ({ signal }) => api.studio.site.get.query(undefined, { signal }),
  });

/** Who the site is about. */
export const profileQuery = (api: ApiClient) =>
  queryOptions({
    queryKey: ['profile'],
    queryFn: ({ signal }) => api.studio.profile.get.query(undefined, { signal }),
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

/** Deliveries of a subscription, newest first. They change by themselves, so they are asked for again while shown. */
export const deliveriesQuery = (
  api: ApiClient,
  { id, page, status }: { id: string; page: number; status: DeliveryStatus | undefined },
) =>
  queryOptions({
    queryKey: ['webhooks', id, 'deliveries', page, status],
    queryFn: ({ signal }) =>
      api.admin.webhooks.deliveries.query(
        { id, page, per_page: 25, ...(status && { status: [status] }) },
        { signal },
      ),
    refetchInterval: 5_000,
  });

/** One of them with its body and attempts. */
export const deliveryQuery = (api: ApiClient, id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhooks', id, 'delivery', deliveryId],
    queryFn: ({ signal }) =>
      api.admin.webhooks.getDelivery.query({ id, delivery_id: deliveryId }, { signal }),
    refetchInterval: 2_000,
  });

/** The modules and lessons of a course, bodies included. */
export const curriculumQuery = (api: ApiClient, courseId: string) =>
  queryOptions({
    queryKey: ['curriculum', courseId],
    queryFn: ({ signal }) => api.studio.curriculum.get.query({ course_id: courseId }, { signal }),
  });
