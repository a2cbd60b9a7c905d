import { useNetwork } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { isApiError } from '../../sdk/index.ts';
import type { Values } from '../data/records.ts';
import { type Problems, problemsIn, problemsOf } from '../fields/problems.ts';
import { NotSent } from '../texts/errors.ts';
import { texts } from '../texts/texts.ts';
import { say } from '../ui/toast.tsx';
import {
  afterSave,
  type Choice,
  conflictsIn,
  type Edits,
  pendingEdits,
  settle,
  typedValues,
} from './edits.ts';
import { isEqual } from './equal.ts';
import { newId } from './new-id.ts';
import { isDraft } from './shape.ts';
import { keepUnsaved, readUnsaved } from './unsaved.ts';
import { useForeignChanges } from './use-foreign-changes.ts';
import { useRecordSaving } from './use-record-saving.ts';
import { useSavedRecord } from './use-saved-record.ts';

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
 * contract takes it; what is public changes only when `save` is called. Until then edits are kept in the browser. A field
 * that somebody else has changed meanwhile is saved only after `resolve` has said whose value counts.
 */
export function useRecordEditor({ resource, id: givenId, onCreated }: RecordEditorOptions) {
  const [id, setId] = useState(givenId);
  const isNew = id === newId;
  const { data: saved, error: loadError } = useSavedRecord(resource, id);
  const [restored] = useState(() => readUnsaved(resource.collection, givenId));
  const [typed, setTyped] = useState<Edits>(restored?.edits ?? {});
  const [refusals, setRefusals] = useState<Problems>({});
  const [isComparing, setComparing] = useState(false);
  /** What the save was to bring besides the edits that conflicts held up. */
  const heldUp = useRef<Values | null>(null);
  const unset = useMemo(() => unsetOf(resource), [resource]);
  const pending = pendingEdits(typed, saved);
  const edits = typedValues(pending);
  const values = { ...unset, ...saved, ...edits };

  const broken = isNew ? problemsOf(resource.create, edits) : problemsOf(resource.update, { id, ...edits });
  const problems = { ...broken, ...refusals };
  const fit = withoutNames(edits, Object.keys(problems));

  const saving = useRecordSaving({
    resource,
    id,
    unset,
    onSaved: (savedId, sent, revision) => {
      setTyped((known) => afterSave(known, sent));
      noteOwn(revision);
      if (savedId === id) return;
      keepUnsaved(resource.collection, newId, {});
      setId(savedId);
      onCreated(savedId);
    },
    onRefused: (error) => setRefusals(problemsIn(error, Object.keys(resource.fields))),
  });
  const conflicts = saved ? conflictsIn(pending, saved, saving.sent) : [];
  const hasConflicts = conflicts.length > 0;
  const { writer, noteOwn } = useForeignChanges({
    resource,
    saved,
    isSaving: saving.isPending,
    hasEdits: Object.keys(edits).length > 0,
    hasConflicts,
  });
  useEffect(() => keepUnsaved(resource.collection, id, pending), [resource, id, typed, saved?.revision]);

  // A save that is still being tried goes on: a second one beside it would make a second record.
  const forgetFailure = () => {
    if (saving.error) saving.reset();
  };

  const change = (name: string, value: unknown) => {
    forgetFailure();
    setRefusals((known) => withoutNames(known, [name]));
    setTyped((known) => {
      const base = known[name]?.base ?? saved?.[name] ?? unset[name];
      const { [name]: _, ...others } = known;
      return isEqual(value, base) ? others : { ...others, [name]: { value, base } };
    });
  };

  const hasDrafts = 'is_draft' in resource.fields;
  const isSavedByItself = hasDrafts && (isNew ? Object.keys(broken).length === 0 : isDraft(values));
  // That somebody was faster is told as a conflict, or is none.
  const saveError = isOutrun(saving.error) ? null : saving.error;
  const waiting =
    isSavedByItself && !saving.isPending && !saveError && !hasConflicts && Object.keys(fit).length > 0;
  // `fit` is made anew each time; what it holds changes with what was typed.
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => saving.saveByItself(isNew ? { ...fit, is_draft: true } : fit), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, waiting]);

  // What could not be sent without a network is sent when it is back.
  const { online } = useNetwork();
  const wasOnline = useRef(online);
  useEffect(() => {
    if (online && !wasOnline.current) forgetFailure();
    wasOnline.current = online;
  }, [online]);

  const holdUp = (more: Values) => {
    heldUp.current = more;
    setComparing(true);
  };
  return {
    id,
    isNew,
    saved,
    values,
    edits,
    problems,
    change,
    /** Saves what was typed, with `more`. Rejects when a field is broken or in conflict, or the service refuses. */
    save: async (more: Values = {}) => {
      if (Object.keys(broken).length > 0) throw new NotSent('validation_failed');
      if (hasConflicts) holdUp(more);
      if (hasConflicts) throw new NotSent('precondition_failed');
      await saving.save({ ...edits, ...more }, pending).catch((error: unknown) => {
        if (isOutrun(error)) holdUp(more);
        throw error;
      });
    },
    /** Publishes it or makes a draft of it, as it is saved. */
    setDraft: (is_draft: boolean) => saving.save({ is_draft }, {}),
    discard: () => {
      const kept = pending;
      say(texts.records.discarded, () => {
        setTyped((known) => ({ ...kept, ...known }));
        // The form may have been left meanwhile.
        keepUnsaved(resource.collection, id, { ...kept, ...readUnsaved(resource.collection, id)?.edits });
      });
      setTyped({});
      setRefusals({});
      saving.reset();
    },
    isSaving: saving.isPending,
    /** Whether a save is under way, also one that `isSaving` doesn't tell of yet. */
    isBusy: saving.isUnderWay,
    isPublishing: saving.sending?.is_draft === false,
    isOffline: !online,
    isSavedByItself,
    loadError,
    saveError,
    /** When edits were made that an earlier visit left unsaved. */
    restoredFrom: restored?.at ?? null,
    /** Notes a write of the form that `save` knows nothing of. */
    noteOwn,
    /** Fields that somebody else has changed while they were typed into. */
    conflicts,
    /** Who that was. */
    writer,
    isComparing: isComparing && hasConflicts,
    compare: setComparing,
    /** Says whose value counts, and goes on with the save that was held up. */
    resolve: (choices: Readonly<Record<string, Choice>>) => {
      if (!saved) return;
      const next = settle(pending, saved, choices);
      const more = heldUp.current;
      heldUp.current = null;
      setTyped(next);
      setComparing(false);
      saving.reset();
      const sent = { ...typedValues(next), ...more };
      if (more && Object.keys(sent).length > 0) void saving.save(sent, next).catch(() => undefined);
    },
  };
}

export type RecordEditor = ReturnType<typeof useRecordEditor>;

/** Whether a write was refused since somebody else had written. */
const isOutrun = (error: unknown) => isApiError(error) && error.data.code === 'precondition_failed';

const unsetOf = ({ fields }: Resource): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, { unset }]) => [name, unset]));

const withoutNames = <V>(values: Record<string, V>, names: readonly string[]): Record<string, V> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
