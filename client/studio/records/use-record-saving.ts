import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { etagOf, isApiError } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { type OwnRecord, recordKey, recordQuery, recordsOf, type Values } from '../data/records.ts';
import { revisionIn } from '../data/revisions.ts';
import { conflictsIn, type Edits } from './edits.ts';
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

/** How often a save goes on from what others have written before it gives up. */
const mostTries = 3;

/**
 * Writes a record only from its newest revision that this form knows. What somebody else wrote into other fields is kept:
 * the save is made again on top of it. Over the same fields it fails with `precondition_failed`.
 */
export function useRecordSaving({ resource, readId, unset, onSaved, onRefused }: RecordSavingOptions) {
  const api = useApi();
  const queries = useQueryClient();
  const sentBefore = useRef<Values>({});
  const records = recordsOf(api, resource);
  const key = (savedId: string) => recordKey(resource, savedId);

  const update = async ({ sent, typed }: Save, tries = 1): Promise<number> => {
    const id = readId();
    const known = queries.getQueryData<OwnRecord>(key(id));
    try {
      const ifMatch = known && etagOf(known);
      return revisionIn(await records.update.mutate({ id, ...sent }, { ifMatch }));
    } catch (error) {
      if (!isOutrun(error)) throw error;
      const present = await queries.fetchQuery({ ...recordQuery(api, resource, id), staleTime: 0 });
      // What saves itself is looked at anew after each change: readers may see by now what was a draft.
      const mayGoOn = typed !== null && conflictsIn(typed, present, sentBefore.current).length === 0;
      if (!mayGoOn || tries === mostTries) throw error;
      return update({ sent, typed }, tries + 1);
    }
  };
  const write = async (save: Save) => {
    const id = readId();
    if (id !== newId) return { savedId: id, revision: await update(save) };
    const created = await records.create.mutate(save.sent);
    return { savedId: created.id, revision: revisionIn(created) };
  };
  const saving = useMutation({
    mutationFn: (save: Save) => {
      sentBefore.current = { ...sentBefore.current, ...save.sent };
      return write(save);
    },
    onSuccess: ({ savedId, revision }, { sent }) => {
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
    /** `typed` is null for a draft that saves itself. One at a time: beside a record that is being created this makes a second one. */
    save: (sent: Values, typed: Edits | null) => saving.mutateAsync({ sent, typed }),
  };
}

/** Whether a write was refused since somebody else had written. */
export const isOutrun = (error: unknown) => isApiError(error) && error.data.code === 'precondition_failed';
