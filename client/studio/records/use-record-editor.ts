import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { useApi } from '../data/api.tsx';
import { type OwnRecord, recordKey, recordQuery, recordsOf, type Values } from '../data/records.ts';
import { type Problems, problemsIn, problemsOf } from '../fields/problems.ts';
import { isEqual } from './equal.ts';
import { newId } from './new-id.ts';
import { isDraft } from './shape.ts';
import { keepUnsaved, readUnsaved } from './unsaved.ts';

/** How long after the last key a draft is saved. */
const pauseMs = 900;

interface RecordEditorOptions {
  resource: Resource;
  /** `newId` for a record to be made. */
  id: string;
  onCreated(id: string): void;
}

/**
 * One record while it is being edited. Drafts are saved as they are typed, and a new record becomes one as soon as the
 * contract takes it; what is public changes only when `save` is called. Until then edits are kept in the browser.
 */
export function useRecordEditor({ resource, id: givenId, onCreated }: RecordEditorOptions) {
  const api = useApi();
  const queries = useQueryClient();
  const [id, setId] = useState(givenId);
  const isNew = id === newId;
  const { data: saved, error: loadError } = useQuery({ ...recordQuery(api, resource, id), enabled: !isNew });
  const [restored] = useState(() => readUnsaved(resource.collection, givenId));
  const [edits, setEdits] = useState<Values>(restored?.edits ?? {});
  const [refusals, setRefusals] = useState<Problems>({});
  const unset = useMemo(() => unsetOf(resource), [resource]);
  const values = { ...unset, ...saved, ...edits };

  const contract = isNew ? resource.create : resource.update;
  const input = isNew ? edits : { id, ...edits };
  const broken = problemsOf(contract, input);
  const problems = { ...broken, ...refusals };
  const fit = withoutNames(edits, Object.keys(problems));

  const change = (name: string, value: unknown) => {
    setRefusals((known) => withoutNames(known, [name]));
    setEdits((known) => {
      const next = { ...known, [name]: value };
      return isEqual(value, saved?.[name] ?? unset[name]) ? withoutNames(next, [name]) : next;
    });
  };
  useEffect(() => keepUnsaved(resource.collection, id, edits), [resource, id, edits]);

  const saving = useMutation({
    mutationFn: async (sent: Values): Promise<string> => {
      const records = recordsOf(api, resource);
      if (isNew) return (await records.create.mutate(sent)).id;
      await records.update.mutate({ id, ...sent });
      return id;
    },
    onSuccess: (savedId, sent) => {
      queries.setQueryData<OwnRecord>(recordKey(resource, savedId), (known) => ({
        ...unset,
        created: new Date(),
        ...known,
        ...sent,
        id: savedId,
        updated: new Date(),
      }));
      // What was typed while this was under way is still to be saved.
      setEdits((known) => pick(known, (name, value) => !(name in sent && isEqual(value, sent[name]))));
      void queries.invalidateQueries({ queryKey: ['records', resource.collection] });
      if (savedId === id) return;
      keepUnsaved(resource.collection, newId, {});
      setId(savedId);
      onCreated(savedId);
    },
    onError: (error) => setRefusals(problemsIn(error, Object.keys(resource.fields))),
  });

  const hasDrafts = 'is_draft' in resource.fields;
  const isSavedByItself = hasDrafts && (isNew ? Object.keys(broken).length === 0 : isDraft(values));
  const { mutate, isPending, error: saveError } = saving;
  const waiting = isSavedByItself && !isPending && !saveError && Object.keys(fit).length > 0;
  // `fit` is made anew each time; what it holds changes with the edits.
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => mutate(isNew ? { ...fit, is_draft: true } : fit), pauseMs);
    return () => clearTimeout(timer);
  }, [edits, waiting]);

  return {
    id,
    isNew,
    saved,
    values,
    edits,
    problems,
    change: (name: string, value: unknown) => {
      saving.reset();
      change(name, value);
    },
    /** Saves what was typed, with `more`. Rejects when a field is broken, or the service refuses. */
    save: async (more: Values = {}) => {
      if (Object.keys(broken).length > 0) throw new Error('a field is broken');
      await saving.mutateAsync({ ...edits, ...more });
    },
    discard: () => {
      setEdits({});
      setRefusals({});
      saving.reset();
    },
    isSaving: isPending,
    isSavedByItself,
    loadError,
    saveError,
    /** When edits were made that an earlier visit left unsaved. */
    restoredFrom: restored?.at ?? null,
  };
}

export type RecordEditor = ReturnType<typeof useRecordEditor>;

const unsetOf = ({ fields }: Resource): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, { unset }]) => [name, unset]));

const pick = <V>(values: Record<string, V>, keeps: (name: string, value: V) => boolean): Record<string, V> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => keeps(name, value)));

const withoutNames = <V>(values: Record<string, V>, names: readonly string[]) =>
  pick(values, (name) => !names.includes(name));
