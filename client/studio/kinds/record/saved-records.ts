import { type QueryClient, QueryObserver } from '@tanstack/react-query';
import type { Resource } from '../../../../shared/contract/resource.ts';
import type { ApiClient } from '../../../sdk/index.ts';
import { type OwnRecord, recordKey, recordQuery, type Values } from '../../data/records.ts';
import { scheduledFor } from '../../data/shape.ts';
import { newId } from '../new-id.ts';
import type { SavedRecords } from './session/store.ts';

const everyMs = 30_000;
const shortestMs = 1_000;
/** The worker publishes within a second of the moment. */
const afterDueMs = 500;

/**
 * Records of a kind, as all screens have them from the service. One that is watched is asked for again: when the window gets
 * the focus, now and then, and when its moment to be published has come.
 */
export const savedRecords = (queries: QueryClient, api: ApiClient, resource: Resource): SavedRecords => ({
  get: (id) => queries.getQueryData<OwnRecord>(recordKey(resource, id)),
  read: (id) => queries.fetchQuery({ ...recordQuery(api, resource, id), staleTime: 0 }),
  set: (id, change) => void queries.setQueryData<OwnRecord>(recordKey(resource, id), change),
  invalidate: () => void queries.invalidateQueries({ queryKey: ['records', resource.collection] }),
  watch: (id, onLook) =>
    new QueryObserver(queries, {
      ...recordQuery(api, resource, id),
      enabled: id !== newId,
      refetchOnMount: 'always',
      refetchOnWindowFocus: 'always',
      refetchInterval: ({ state: { data } }) => untilNextLookMs(data),
    }).subscribe(({ error }) => onLook(error)),
});

function untilNextLookMs(record: Values | undefined): number {
  const due = record && scheduledFor(record);
  if (!due) return everyMs;
  return Math.min(everyMs, Math.max(shortestMs, due.getTime() - Date.now() + afterDueMs));
}
