import type { Values } from '../../../data/records.ts';
import { type Choice, type Edits, editsToStore, settle, typeInto } from '../../../forms/edits.ts';
import { isConflict } from '../../../forms/update-with-retry.ts';
import { NotSent } from '../../../strings/errors.ts';
import { strings } from '../../../strings/ui-strings.ts';
import { createOtherWriterListener } from './notice-other-writers.ts';
import { createQueue, createRecordActions, type Queue } from './record-actions.ts';
import {
  createRecordStore,
  draftKeyOf,
  type RecordStore,
  type RecordView,
  type SessionDeps,
  unsetOf,
} from './store.ts';
import { createRecordWriter, type RecordWriter } from './write-record.ts';

/**
 * Editor session of one record.
 *
 * States, derived from the edits, the saved record and the last failure:
 * - saved: no edits.
 * - edited: typed values differ from the saved record. They are also kept in browser storage, so a reload restores them.
 * - saving: a write is in flight. Only one write runs at a time; others wait in a queue.
 * - conflict: another writer changed a field that has edits. Nothing is saved until `resolve` chooses a value for each of
 *   these fields.
 * - failed: the last write failed. Typing or a returning network (`setOnline`) clears the failure, so that autosave tries
 *   again. `retry` repeats the action.
 *
 * Autosave: a draft is saved 900 ms after the last change, without the fields that have problems. A new record is created as
 * a draft once the contract accepts it. Other records are saved only on request. If another writer publishes the draft,
 * autosave stops.
 *
 * Queue: saving and publishing read the state when their turn comes, not when they were requested. The queue continues
 * after the form is left. Autosave stops then, and unsaved edits stay in browser storage until the next visit.
 */
export function createRecordSession(deps: SessionDeps) {
  const store = createRecordStore(deps);
  const queue = createQueue();
  let isOpen = false;
  const writing = createRecordWriter(deps, store, (id) => {
    if (!isOpen) return;
    follow();
    deps.events.created(id);
  });
  const saving = createSaving(store, writing.save);
  const actions = {
    ...createTyping(deps, store, queue),
    ...createRecordActions(deps, store, { queue, ...saving, isOpen: () => isOpen }),
    /** Saves the edits. Resolves when they are stored. */
    saveTyped: () => queue.add(() => saving.write({})),
    /** Records a revision that the form wrote outside the session, so that it does not count as another writer's. */
    noteOwn: (revision: number) => void writing.own.add(revision),
    compare: (isComparing: boolean) => store.change({ isComparing }),
    /** Applies the chosen values, and resumes the save that the conflict stopped. */
    resolve: (choices: Readonly<Record<string, Choice>>) => {
      const { saved, pending } = store.get();
      if (!saved) return;
      const more = saving.takeHeldUp();
      store.change({ typed: settle(pending, saved, choices), isComparing: false, failure: null });
      // The error is ignored here, because the session's state contains it.
      if (more) void queue.add(() => saving.write(more)).catch(() => undefined);
    },
  };

  const autosave = createAutosave(deps, store, { queue, save: writing.save });
  const reactions = [
    createKeeping(deps, store),
    autosave.look,
    createOtherWriterListener(deps, store, writing.own),
  ];
  let stops: (() => unknown)[] = [];
  const close = () => {
    for (const stop of stops.splice(0)) stop();
  };
  /** Subscribes to the record under its current ID, which a new record gets during the session. */
  const follow = () => {
    close();
    const { id } = store.read();
    stops = [
      ...reactions.map((react) => store.subscribe(() => react(store.get()))),
      autosave.stop,
      deps.unsaved.onGivenBack(deps.resource.collection, draftKeyOf(deps, id), (given) =>
        // The edits may come from an earlier form of the same record, which offered to undo a discard.
        store.change({ typed: { ...given, ...store.read().typed } }),
      ),
      deps.saved.watch(id, (loadError) => store.change({ loadError })),
    ];
    store.change({});
  };
  return {
    get: store.get,
    subscribe: store.subscribe,
    actions,
    /** Starts following the record. Returns a function that stops it when the form leaves the screen. */
    open: () => {
      isOpen = true;
      follow();
      return () => {
        isOpen = false;
        close();
      };
    },
    setOnline: (isOnline: boolean) =>
      // A returning network clears the failure, so that autosave tries again.
      store.change({ isOnline, ...(isOnline && !store.read().isOnline && { failure: null }) }),
  };
}

/** Creates the actions that change and discard edits. */
function createTyping(deps: SessionDeps, store: RecordStore, queue: Queue) {
  const { resource, saved, unsaved, events } = deps;
  const unset = unsetOf(resource);
  return {
    change: (name: string, value: unknown) => {
      const { id, refused } = store.read();
      const { [name]: _, ...others } = refused;
      const base = saved.get(id)?.[name] ?? unset[name];
      store.change({ typed: typeInto(store.read(), name, { value, base }), refused: others, failure: null });
    },
    /**
     * Discards all edits and offers to undo that. Does nothing during a save, whose answer would restore the values.
     */
    discard: () => {
      if (queue.isBusy()) return;
      const { pending } = store.get();
      events.toast(strings.records.discarded, () =>
        unsaved.giveBack(resource.collection, draftKeyOf(deps, store.read().id), pending),
      );
      store.change({ typed: {}, refused: {}, failure: null });
    },
  };
}

/** Creates the functions that write the edits. Callers wait for their turn in the queue first. */
function createSaving(store: RecordStore, save: RecordWriter['save']) {
  /**
   * Additional fields of a save that conflicts stopped, to write with the edits when it resumes; null if no save waits.
   */
  let heldUp: Values | null = null;
  const holdUp = (more: Values) => {
    heldUp = more;
    store.change({ isComparing: true });
  };
  return {
    takeHeldUp: () => {
      const more = heldUp;
      heldUp = null;
      return more;
    },
    /**
     * Saves the edits with `more` fields. Rejects with `NotSent` on a broken field or a conflict, and with the service's
     * error if it refuses.
     */
    write: async (more: Values) => {
      const { edits, pending, broken, conflicts } = store.get();
      const values = { ...edits, ...more };
      if (Object.keys(values).length === 0) return;
      if (Object.keys(broken).length > 0) throw new NotSent('validation_failed');
      if (conflicts.length > 0) {
        holdUp(more);
        throw new NotSent('precondition_failed');
      }
      await save(values, pending).catch((error: unknown) => {
        if (isConflict(error)) holdUp(more);
        throw error;
      });
    },
    setDraft: (is_draft: boolean) => save({ is_draft }, {}),
  };
}

/** Creates a listener for views of the record that stores unsaved edits in the browser. */
function createKeeping(deps: SessionDeps, store: RecordStore) {
  const { resource, unsaved } = deps;
  let last: readonly unknown[] = [];
  return ({ id, saved }: RecordView) => {
    const { typed, sent } = store.read();
    const next = [id, typed, saved?.revision];
    if (next.every((value, at) => value === last[at])) return;
    last = next;
    unsaved.keep(resource.collection, draftKeyOf(deps, id), editsToStore(typed, saved, sent));
  };
}

/** Delay between the last change and an autosave, in milliseconds. */
const pauseMs = 900;

/** Creates a listener for views of the record that saves a draft after a pause in typing. */
function createAutosave(
  deps: SessionDeps,
  store: RecordStore,
  { queue, save }: Pick<RecordWriter, 'save'> & { queue: Queue },
) {
  let waitingFor: Edits | null = null;
  let cancel = () => {};
  const saveNow = () => {
    if (queue.isBusy()) return;
    const view = store.get();
    const values = { ...view.fit, ...(view.isNew && { is_draft: true }) };
    // The error is ignored here, because the session's state contains it.
    void queue.add(() => save(values, null)).catch(() => undefined);
  };
  return {
    look: (view: RecordView) => {
      const { typed } = store.read();
      const isWaiting = isDue(view);
      if (isWaiting && waitingFor === typed) return;
      cancel();
      waitingFor = isWaiting ? typed : null;
      if (isWaiting) cancel = deps.clock.after(pauseMs, saveNow);
    },
    stop: () => {
      cancel();
      waitingFor = null;
    },
  };
}

/** True if an autosave can run. A refusal of single fields does not delay the others. */
const isDue = ({ isSavedByItself, isSaving, saveError, isExplained, conflicts, fit }: RecordView) =>
  isSavedByItself &&
  !isSaving &&
  (!saveError || isExplained) &&
  conflicts.length === 0 &&
  Object.keys(fit).length > 0;
