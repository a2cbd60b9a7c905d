import { createSafeContext } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { type QueryClient, QueryObserver, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import type { ApiClient } from '../../../sdk/index.ts';
import { useAccountStorage, useApi } from '../../data/api.tsx';
import { type Shape, scheduledFor } from '../../data/record-shape.ts';
import { newId, type OwnRecord, recordKey, recordQuery, recordsOf, type Values } from '../../data/records.ts';
import { useUploading } from '../../forms/form-context.tsx';
import { useLeaveGuard } from '../../ui/leave-guard.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { createRecordSession } from './session/record-session.ts';
import type { SavedRecords } from './session/store.ts';

interface RecordEditorOptions {
  resource: Resource;
  /** ID of the record, or `newId` for a new one. */
  id: string;
  draftKey: string;
  onCreated(id: string): void;
  /** Called if an action failed for any reason, also because a problem or a conflict stopped it. */
  onRefused(): void;
}

/**
 * Returns the session of a record's form. Publishing or saving for readers asks for confirmation while a file is uploading
 * into the record.
 */
export function useRecordEditor(options: RecordEditorOptions) {
  const [api, queries, account] = [useApi(), useQueryClient(), useAccountStorage()];
  const latest = useRef(options);
  latest.current = options;
  const [session] = useState(() => {
    const { resource, id, draftKey } = options;
    const [records, saved] = [recordsOf(api, resource), savedRecords(queries, api, resource)];
    const events = {
      created: (createdId: string) => latest.current.onCreated(createdId),
      refused: () => latest.current.onRefused(),
      failed: toastError,
      toast,
    };
    return createRecordSession({ resource, id, draftKey, records, saved, ...account, clock, events });
  });
  const { online } = useNetwork();
  useEffect(session.open, [session]);
  useEffect(() => session.setOnline(online), [session, online]);
  const view = useSyncExternalStore(session.subscribe, session.get);
  const { isUploading } = useUploading();
  const { agreeTo } = useLeaveGuard();
  const whole = (work: () => void) => () =>
    void agreeTo(isUploading ? 'saving' : null).then((agrees) => agrees && work());
  const { publish, retry, save } = session.actions;
  return {
    ...view,
    ...session.actions,
    publish: whole(publish),
    retry: whole(retry),
    // Saving a draft during an upload needs no confirmation: autosave saves it again when the file has arrived.
    save: view.isDraft ? save : whole(save),
  };
}

const clock = {
  now: () => new Date(),
  after: (ms: number, work: () => void) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

export type RecordEditor = ReturnType<typeof useRecordEditor>;

const everyMs = 30_000;
const minMs = 1_000;
/** Extra delay after a publication time, in milliseconds. The worker publishes within a second. */
const afterDueMs = 500;

/**
 * Returns the saved records of a resource, from the query cache that all screens share. A watched record is fetched every 30
 * seconds, when the window gets the focus, and after its publication time.
 */
const savedRecords = (queries: QueryClient, api: ApiClient, resource: Resource): SavedRecords => ({
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
  return Math.min(everyMs, Math.max(minMs, due.getTime() - Date.now() + afterDueMs));
}

/** The record whose form is open. */
interface OpenRecord {
  resource: Resource;
  shape: Shape;
  editor: RecordEditor;
  isReadOnly: boolean;
  mayPublish: boolean;
  /** Moves the record to the trash. */
  remove(): void;
  /** Shows all problems and focuses the first field with one. */
  refuse(): void;
}

export const [OpenRecordProvider, useOpenRecord] = createSafeContext<OpenRecord>('no record is open');
