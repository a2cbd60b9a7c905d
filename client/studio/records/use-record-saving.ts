import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { etagOf } from '../../sdk/index.ts';
import { useApi, useKept } from '../data/api.tsx';
import { createOnce } from '../data/once.ts';
import { type OwnRecord, recordKey, recordQuery, recordsOf, type Values } from '../data/records.ts';
import { revisionIn } from '../data/revisions.ts';
import { writeOnTop } from '../data/write-on-top.ts';
import { changesSince, conflictsIn, type Edits } from '../fields/edits.ts';
import { newId } from './new-id.ts';
import { isDraft } from './shape.ts';

interface RecordSavingOptions {
  resource: Resource;
  /** The record's id by now. */
  readId(): string;
  unset: Values;
  onSaved(id: string, sent: Values, revision: number): void;
  onRefused(error: unknown): void;
}

interface Save {
  sent: Values;
  /** What was typed, to be held against what somebody else has written meanwhile. Null for a draft that saves itself. */
  typed: Edits | null;
}

/**
 * Writes a record only on top of its newest revision. What somebody else wrote into other fields is kept; over the same
 * fields it fails as `isOutrun` tells. A record is made once, however often that is tried before an answer comes.
 */
export function useRecordSaving({ resource, readId, unset, onSaved, onRefused }: RecordSavingOptions) {
  const api = useApi();
  const queries = useQueryClient();
  const { storage } = useKept();
  const [making] = useState(() => createOnce(storage, `${resource.collection}:${newId}`));
  const sentBefore = useRef<Values>((readId() === newId && making.unanswered()) || {});
  const records = recordsOf(api, resource);
  const key = (savedId: string) => recordKey(resource, savedId);

  const update = (id: string, { sent, typed }: Save) => {
    const known = queries.getQueryData<OwnRecord>(key(id)) ?? null;
    return writeOnTop({
      known,
      read: () => queries.fetchQuery({ ...recordQuery(api, resource, id), staleTime: 0 }),
      // What saves itself is looked at anew after each change: readers may see by now what was a draft.
      takesAway: (saved) =>
        typed ? conflictsIn(typed, saved, sentBefore.current).length > 0 : saved !== known,
      write: (saved) => records.update.mutate({ id, ...sent }, { ifMatch: etagOf(saved) }),
    });
  };
  const write = async (save: Save) => {
    const id = readId();
    if (id !== newId) return { savedId: id, sent: save.sent, revision: revisionIn(await update(id, save)) };
    const { answer, sent } = await making.send(save.sent, (input, options) =>
      records.create.mutate(input, options),
    );
    return { savedId: answer.id, sent, revision: revisionIn(answer) };
  };
  const saving = useMutation({
    mutationFn: (save: Save) => {
      sentBefore.current = { ...sentBefore.current, ...save.sent };
      return write(save);
    },
    onSuccess: ({ savedId, sent, revision }) => {
      queries.setQueryData<OwnRecord>(key(savedId), (known) => ({
        ...unset,
        created: new Date(),
        ...known,
        ...sent,
        ...(!isDraft({ ...known, ...sent }) && { publish_at: null }),
        id: savedId,
        updated: new Date(),
        revision,
      }));
      onSaved(savedId, sent, revision);
      void queries.invalidateQueries({ queryKey: ['records', resource.collection] });
    },
    onError: (error) => onRefused(error),
  });
  return {
    error: saving.error,
    isPending: saving.isPending,
    /** What is being saved. */
    sending: saving.isPending ? saving.variables.sent : null,
    reset: saving.reset,
    /** The last value of each field that this form has sent. */
    readSent: () => sentBefore.current,
    /** `typed` is null for a draft that saves itself. One at a time. */
    save: async (wanted: Values, typed: Edits | null) => {
      const { sent } = await saving.mutateAsync({ sent: wanted, typed });
      // An earlier try may have been the one that made the record: what was typed since goes on top of it.
      const { is_draft: _, ...fields } = unset;
      const since = changesSince(sent, wanted, fields);
      if (Object.keys(since).length > 0) await saving.mutateAsync({ sent: since, typed });
    },
  };
}
