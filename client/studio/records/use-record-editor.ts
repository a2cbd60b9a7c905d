import { useNetwork } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { useKept } from '../data/api.tsx';
import { type OwnRecord, recordKey, type Values } from '../data/records.ts';
import { isOutrun } from '../data/write-on-top.ts';
import {
  afterSave,
  type Choice,
  conflictsIn,
  type Edits,
  keptEdits,
  settle,
  typeInto,
} from '../fields/edits.ts';
import { type Problems, problemsIn } from '../fields/problems.ts';
import { useIsHere, usePresent } from '../fields/use-present.ts';
import { NotSent } from '../texts/errors.ts';
import { texts } from '../texts/texts.ts';
import { say } from '../ui/toast.tsx';
import { newId } from './new-id.ts';
import { type Standing, standingOf, unsetOf } from './standing.ts';
import { useForeignChanges } from './use-foreign-changes.ts';
import { useRecordSaving } from './use-record-saving.ts';
import { useSavedRecord } from './use-saved-record.ts';
import { useTurns } from './use-turns.ts';

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
 * that somebody else has changed meanwhile is saved only after `resolve` has said whose value counts. Whatever writes the
 * record has its turn, and then writes what there is by then: also when the form has been left.
 */
export function useRecordEditor({ resource, id: givenId, onCreated }: RecordEditorOptions) {
  const queries = useQueryClient();
  const { unsaved } = useKept();
  const isHere = useIsHere();
  const { inTurn, isBusy } = useTurns();
  const [id, setId, readId] = usePresent(givenId);
  const { data: saved, error: loadError } = useSavedRecord(resource, id);
  const [restored] = useState(() => unsaved.read(resource.collection, givenId));
  const [typed, setTyped, readTyped] = usePresent<Edits>(restored?.edits ?? {});
  const [refusals, setRefusals] = useState<Problems>({});
  const [isComparing, setComparing] = useState(false);
  /** What the save was to bring besides the edits that conflicts held up. */
  const heldUp = useRef<Values | null>(null);
  const unset = useMemo(() => unsetOf(resource), [resource]);
  const standing = standingOf(resource, { id, typed, saved });
  const { isNew, pending, edits, broken } = standing;
  const readSaved = () => queries.getQueryData<OwnRecord>(recordKey(resource, readId()));
  const present = () => standingOf(resource, { id: readId(), typed: readTyped(), saved: readSaved() });

  const problems = { ...broken, ...refusals };
  const fit = withoutNames(edits, Object.keys(problems));

  const saving = useRecordSaving({
    resource,
    readId,
    unset,
    onSaved: (savedId, sent, revision) => {
      setTyped((known) => afterSave(known, sent));
      noteOwn(revision);
      if (savedId === readId()) return;
      unsaved.keep(resource.collection, newId, {});
      setId(() => savedId);
      if (isHere()) onCreated(savedId);
    },
    onRefused: (error) => setRefusals(problemsIn(error, Object.keys(resource.fields))),
  });
  const conflicts = saved ? conflictsIn(pending, saved, saving.readSent()) : [];
  const hasConflicts = conflicts.length > 0;
  const { writer, noteOwn } = useForeignChanges({
    resource,
    saved,
    isSaving: saving.isPending,
    hasEdits: standing.hasEdits,
    hasConflicts,
  });
  useEffect(
    () => unsaved.keep(resource.collection, id, keptEdits(typed, saved, saving.readSent())),
    [resource, id, typed, saved?.revision],
  );

  // By a form of the same record that may have been left since.
  const takeBack = (given: Edits) => setTyped((known) => ({ ...given, ...known }));
  useEffect(() => unsaved.onGivenBack(resource.collection, id, takeBack), [resource, id]);

  const forgetFailure = () => {
    if (saving.error) saving.reset();
  };

  const change = (name: string, value: unknown) => {
    forgetFailure();
    setRefusals((known) => withoutNames(known, [name]));
    setTyped((known) => typeInto(known, name, value, saved?.[name] ?? unset[name]));
  };

  const isSavedByItself = standing.isDraft && !(isNew && Object.keys(broken).length > 0);
  // That somebody was faster is told as a conflict, or is none.
  const saveError = isOutrun(saving.error) ? null : saving.error;
  const waiting =
    isSavedByItself && !saving.isPending && !saveError && !hasConflicts && Object.keys(fit).length > 0;
  // `fit` is made anew each time; what it holds changes with what was typed.
  useEffect(() => {
    if (!waiting) return;
    const sent = isNew ? { ...fit, is_draft: true } : fit;
    const timer = setTimeout(() => {
      if (!isBusy()) void inTurn(() => saving.save(sent, null)).catch(() => undefined);
    }, pauseMs);
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
  /** Saves what was typed, with `more`. Rejects when a field is broken or in conflict, or the service refuses. */
  const write = async (more: Values = {}) => {
    const now = present();
    const known = readSaved();
    const sent = { ...now.edits, ...more };
    if (Object.keys(sent).length === 0) return;
    if (Object.keys(now.broken).length > 0) throw new NotSent('validation_failed');
    const isHeldUp = known && conflictsIn(now.pending, known, saving.readSent()).length > 0;
    if (isHeldUp) holdUp(more);
    if (isHeldUp) throw new NotSent('precondition_failed');
    await saving.save(sent, now.pending).catch((error: unknown) => {
      if (isOutrun(error)) holdUp(more);
      throw error;
    });
  };
  return {
    id,
    saved,
    ...standing,
    problems,
    change,
    /** Does `work` when nothing else writes the record any more, telling how that stands by then. */
    inTurn: <Result>(work: (now: Standing) => Promise<Result>) => inTurn(() => work(present())),
    /** For work that has its turn. */
    write,
    save: () => inTurn(() => write()),
    /** Publishes it or makes a draft of it, as it is saved. For work that has its turn. */
    setDraft: (is_draft: boolean) => saving.save({ is_draft }, {}),
    /** Not while it is being saved: that would come back with the answer. */
    discard: () => {
      if (isBusy()) return;
      const kept = pending;
      say(texts.records.discarded, () => unsaved.giveBack(resource.collection, readId(), kept));
      setTyped(() => ({}));
      setRefusals({});
      forgetFailure();
    },
    isSaving: saving.isPending,
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
      setTyped(() => next);
      setComparing(false);
      forgetFailure();
      if (more) void inTurn(() => write(more)).catch(() => undefined);
    },
  };
}

export type RecordEditor = ReturnType<typeof useRecordEditor>;

const withoutNames = <V>(values: Record<string, V>, names: readonly string[]): Record<string, V> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
