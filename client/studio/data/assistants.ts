import { queryOptions } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';

/** An assistant that asks to be let in. */
export type AskingAssistant = OutputOf<ApiClient['studio']['assistants']['request']>;

export type ConnectedAssistant = OutputOf<ApiClient['studio']['assistants']['list']>['data'][number];

export const connectedKey = ['assistants', 'connected'];

export const connectedQuery = ({ studio }: ApiClient) =>
  queryOptions({
    queryKey: connectedKey,
    queryFn: ({ signal }) => studio.assistants.list.query(undefined, { signal }),
  });
