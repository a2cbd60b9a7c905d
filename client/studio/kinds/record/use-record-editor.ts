import { useNetwork } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useAccountStorage, useApi } from '../../data/api.tsx';
import { recordsOf } from '../../data/records.ts';
import { useUploading } from '../../forms/uploading.tsx';
import { useLeaving } from '../../ui/leaving.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { savedRecords } from './saved-records.ts';
import { createRecordSession } from './session/record-session.ts';

interface RecordEditorOptions {
  resource: Resource;
  /** `newId` for a record to be made. */
  id: string;
  newPlace: string;
  onCreated(id: string): void;
  /** Something stands in the way of what was wanted. */
  onRefused(): void;
}

/** The session of a record's form. It asks before readers get a record without a file that is on its way into it. */
export function useRecordEditor(options: RecordEditorOptions) {
  const [api, queries, account] = [useApi(), useQueryClient(), useAccountStorage()];
  const latest = useRef(options);
  latest.current = options;
  const [session] = useState(() => {
    const { resource, id, newPlace } = options;
    const [records, saved] = [recordsOf(api, resource), savedRecords(queries, api, resource)];
    const events = {
      created: (createdId: string) => latest.current.onCreated(createdId),
      refused: () => latest.current.onRefused(),
      failed: toastError,
      toast,
    };
    return createRecordSession({ resource, id, newPlace, records, saved, ...account, clock, events });
  });
  const { online } = useNetwork();
  useEffect(session.open, [session]);
  useEffect(() => session.setOnline(online), [session, online]);
  const view = useSyncExternalStore(session.subscribe, session.get);
  const { isUploading } = useUploading();
  const { agreeTo } = useLeaving();
  const whole = (work: () => void) => () =>
    void agreeTo(isUploading ? 'saving' : null).then((agrees) => agrees && work());
  const { publish, retry, save } = session.actions;
  return {
    ...view,
    ...session.actions,
    publish: whole(publish),
    retry: whole(retry),
    // A draft saves itself again once the file is there.
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
