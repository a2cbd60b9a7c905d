import { useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../shared/contract/resource.ts';
import { useApi } from '../data/api.tsx';
import { recordQuery, type Values } from '../data/records.ts';
import { newId } from './new-id.ts';
import { scheduledFor } from './shape.ts';

const everyMs = 30_000;
const shortestMs = 1_000;
/** The worker publishes within a second of the moment. */
const afterDueMs = 500;

/**
 * A record as the service has it. While it is open it is asked for again: when the window gets the focus, now and then,
 * and when its moment to be published has come.
 */
export const useSavedRecord = (resource: Resource, id: string) =>
  useQuery({
    ...recordQuery(useApi(), resource, id),
    enabled: id !== newId,
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state: { data } }) => untilNextLookMs(data),
  });

function untilNextLookMs(record: Values | undefined): number {
  const due = record && scheduledFor(record);
  if (!due) return everyMs;
  return Math.min(everyMs, Math.max(shortestMs, due.getTime() - Date.now() + afterDueMs));
}
