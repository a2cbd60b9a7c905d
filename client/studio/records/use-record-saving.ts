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
  id: string;
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
export function useRecordSaving({ resource, id, unset, onSaved, onRefused }: RecordSavingOptions) {
  const api = useApi();
  const queries = useQueryClient();
  const sentBefore = useRef<Values>({});
  /** Right from its beginning, which `isPending` tells only once the form has been drawn again. */
  const underWay = useRef(0);
  const records = recordsOf(api, resource);
  const key = (savedId: string) => recordKey(resource, savedId);

  const update = async ({ sent, typed }: Save, tries = 1): Promise<number> => {
    const known = queries.getQueryData<OwnRecord>(key(id));
    try {
      const ifMatch = known && etagOf(known);
      return revisionIn(await records.update.mutate({ id, ...sent }, { ifMatch }));
    } catch (error) {
      if (!isApiError(error) || error.data.code !== 'precondition_failed') throw error;
      const present = await queries.fetchQuery({ ...recordQuery(api, resource, id), staleTime: 0 });
      // What saves itself is looked at anew after each change: readers may see by now what was a draft.
      const mayGoOn = typed !== null && conflictsIn(typed, present, sentBefore.current).length === 0;
      if (!mayGoOn || tries === mostTries) throw error;
      return update({ sent, typed }, tries + 1);
    }
  };
  const write = async (save: Save) => {
    if (id !== newId) return { savedId: id, revision: await update(save) };
    const created = await records.create.mutate(save.sent);
    return { savedId: created.id, revision: revisionIn(created) };
  };
  const saving = useMutation({
    mutationFn: async (save: Save) => {
      sentBefore.current = { ...sentBefore.current, ...save.sent };
      underWay.current++;
      try {
        return await write(save);
      } finally {
        underWay.current--;
      }
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
    isUnderWay: () => underWay.current > 0,
    /** What is being saved. */
    sending: saving.isPending ? saving.variables.sent : null,
    reset: saving.reset,
    /** The last value of each field that this form has sent. */
    sent: sentBefore.current,
    save: (sent: Values, typed: Edits) => saving.mutateAsync({ sent, typed }),
    saveByItself: (sent: Values) => {
      if (underWay.current === 0) saving.mutate({ sent, typed: null });
    },
  };
}
