import type { Values } from '../../../data/records.ts';
import { type Choice, type Edits, editsToStore, settle, typeInto } from '../../../forms/edits.ts';
import { isOutrun } from '../../../forms/write-on-top.ts';
import { NotSent } from '../../../strings/errors.ts';
import { texts } from '../../../strings/texts.ts';
import { createForeignChanges } from './foreign-changes.ts';
import { createPublishing, createQueue, type Queue } from './publishing.ts';
import {
  createRecordStore,
  placeOf,
  type RecordStore,
  type RecordView,
  type SessionDeps,
  unsetOf,
} from './store.ts';
import { createWriting, type Writing } from './writing.ts';

/**
 * One record while it is being edited. Drafts are saved as they are typed, and a new record becomes one as soon as the
 * contract takes it; what is public changes only when `save` is called. Until then edits are kept in the browser. A field
 * that somebody else has changed meanwhile is saved only after `resolve` has said whose value counts. Whatever writes the
 * record has its turn, and then writes what there is by then: also when the form has been left.
 */
export function createRecordSession(deps: SessionDeps) {
  const store = createRecordStore(deps);
  const queue = createQueue();
  let isOpen = false;
  const writing = createWriting(deps, store, (id) => {
    if (!isOpen) return;
    follow();
    deps.events.created(id);
  });
  const saving = createSaving(store, writing.save);
  const actions = {
    ...createTyping(deps, store, queue),
    ...createPublishing(deps, store, { queue, ...saving, isOpen: () => isOpen }),
    /** Resolves once what was typed is saved. */
    saveTyped: () => queue.add(() => saving.write({})),
    /** Notes a write of the form that the session knows nothing of. */
    noteOwn: (revision: number) => void writing.own.add(revision),
    compare: (isComparing: boolean) => store.change({ isComparing }),
    /** Says whose value counts, and goes on with the save that was held up. */
    resolve: (choices: Readonly<Record<string, Choice>>) => {
      const { saved, pending } = store.get();
      if (!saved) return;
      const more = saving.takeHeldUp();
      store.change({ typed: settle(pending, saved, choices), isComparing: false, failure: null });
      // What failed stands in the state.
      if (more) void queue.add(() => saving.write(more)).catch(() => undefined);
    },
  };

  const autosave = createAutosave(deps, store, { queue, save: writing.save });
  const reactions = [
    createKeeping(deps, store),
    autosave.look,
    createForeignChanges(deps, store, writing.own),
  ];
  let stops: (() => unknown)[] = [];
  const close = () => {
    for (const stop of stops.splice(0)) stop();
  };
  /** Of the record by the id that it has now. */
  const follow = () => {
    close();
    const { id } = store.read();
    stops = [
      ...reactions.map((react) => store.subscribe(() => react(store.get()))),
      autosave.stop,
      deps.unsaved.onGivenBack(deps.resource.collection, placeOf(deps, id), (given) =>
        // By a form of the same record that may have been left since.
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
    /** While the form is on the screen, until what it returns is called. */
    open: () => {
      isOpen = true;
      follow();
      return () => {
        isOpen = false;
        close();
      };
    },
    setOnline: (isOnline: boolean) =>
      // What could not be sent without a network is sent when it is back.
      store.change({ isOnline, ...(isOnline && !store.read().isOnline && { failure: null }) }),
  };
}

/** What somebody types, and takes back. */
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
    /** Not while it is being saved: that would come back with the answer. */
    discard: () => {
      if (queue.isBusy()) return;
      const { pending } = store.get();
      events.toast(texts.records.discarded, () =>
        unsaved.giveBack(resource.collection, placeOf(deps, store.read().id), pending),
      );
      store.change({ typed: {}, refused: {}, failure: null });
    },
  };
}

/** Saves what was typed, unless something stands in its way. For what has its turn. */
function createSaving(store: RecordStore, save: Writing['save']) {
  /** What the save was to bring besides the edits that conflicts held up. */
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
    /** Saves it with `more`. Rejects when a field is broken or in conflict, or the service refuses. */
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
        if (isOutrun(error)) holdUp(more);
        throw error;
      });
    },
    setDraft: (is_draft: boolean) => save({ is_draft }, {}),
  };
}

/** To be called with each view: keeps in the browser what is not saved. */
function createKeeping(deps: SessionDeps, store: RecordStore) {
  const { resource, unsaved } = deps;
  let last: readonly unknown[] = [];
  return ({ id, saved }: RecordView) => {
    const { typed, sent } = store.read();
    const next = [id, typed, saved?.revision];
    if (next.every((value, at) => value === last[at])) return;
    last = next;
    unsaved.keep(resource.collection, placeOf(deps, id), editsToStore(typed, saved, sent));
  };
}

/** How long after the last key a draft is saved. */
const pauseMs = 900;

/** To be called with each view: saves a draft by itself once nothing was typed for a while. */
function createAutosave(
  deps: SessionDeps,
  store: RecordStore,
  { queue, save }: Pick<Writing, 'save'> & { queue: Queue },
) {
  let waitingFor: Edits | null = null;
  let cancel = () => {};
  const saveNow = () => {
    if (queue.isBusy()) return;
    const view = store.get();
    const values = { ...view.fit, ...(view.isNew && { is_draft: true }) };
    // What failed stands in the state.
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

/** A refusal of single fields holds up none of the others. */
const isDue = ({ isSavedByItself, isSaving, saveError, isExplained, conflicts, fit }: RecordView) =>
  isSavedByItself &&
  !isSaving &&
  (!saveError || isExplained) &&
  conflicts.length === 0 &&
  Object.keys(fit).length > 0;
