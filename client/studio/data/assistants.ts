import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { queryOf } from './query-of.ts';

/** An assistant that asks to be let in. */
export type AskingAssistant = OutputOf<ApiClient['studio']['assistants']['request']>;

export type ConnectedAssistant = OutputOf<ApiClient['studio']['assistants']['list']>['data'][number];

export const connectedKey = ['assistants', 'connected'];

export const connectedQuery = ({ studio }: ApiClient) =>
  queryOf(connectedKey, studio.assistants.list, undefined);
