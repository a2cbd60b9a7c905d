import type { z } from 'zod';
import type { Resource } from '../../../../../shared/contract/resource.ts';
import { newId, type OwnRecord, type RecordProcedures, type Values } from '../../../data/records.ts';
import { isDraft, shapeOf, titleOf } from '../../../data/shape.ts';
import type { Unsaved } from '../../../data/unsaved.ts';
import { standingOf, type Typing, withoutNames } from '../../../forms/edits.ts';
import { createOnce } from '../../../forms/once.ts';
import { type FieldProblems, problemsIn, problemsOf } from '../../../forms/problems.ts';
import { isOutrun } from '../../../forms/write-on-top.ts';
import { texts } from '../../../strings/texts.ts';
import type { BrowserStorage } from '../../../ui/browser-storage.ts';
import { createStore } from '../../../ui/store.ts';

export interface SessionDeps {
  resource: Resource;
  /** `newId` for a record to be made. */
  id: string;
  /** Under which name the browser keeps what is typed into a record to be made. */
  newPlace: string;
  records: Pick<RecordProcedures, 'create' | 'update' | 'revisions'>;
  saved: SavedRecords;
  storage: BrowserStorage;
  unsaved: Unsaved;
  clock: Clock;
  events: SessionEvents;
}

/** Records as the service has them, as far as this page knows. */
export interface SavedRecords {
  get(id: string): OwnRecord | undefined;
  /** Asks the service. */
  read(id: string): Promise<OwnRecord>;
  set(id: string, change: (known: OwnRecord | undefined) => OwnRecord): void;
  /** Says that lists and others that show records of its kind are not what they were. */
  invalidate(): void;
  /** Asks for a record again and again; calls `onLook` after each time, with what failed, until what it returns is called. */
  watch(id: string, onLook: (error: unknown) => void): () => void;
}

interface Clock {
  now(): Date;
  /** Calls `work` after a while, unless what it returns is called before. */
  after(ms: number, work: () => void): () => void;
}

/** What the screen is told besides how the record stands. */
interface SessionEvents {
  /** Not told when the form was left meanwhile. */
  created(id: string): void;
  /** Something stands in the way of what was wanted. */
  refused(): void;
  /** The same, after the form was left. */
  failed(error: unknown): void;
  toast(message: string, undo?: () => void): void;
}

/** Under which name the browser keeps what is typed into a record. */
export const placeOf = ({ newPlace }: SessionDeps, id: string) => (id === newId ? newPlace : id);

export type RecordStore = ReturnType<typeof createRecordStore>;

/** Holds the state of a session, and what is to be seen of it. */
export function createRecordStore(deps: SessionDeps) {
  const { resource, id, newPlace, unsaved, saved, storage } = deps;
  const { collection } = resource;
  const making = createOnce(storage, `${collection}:${newPlace}`);
  const restored = unsaved.read(collection, placeOf(deps, id));
  const store = createStore<RecordSessionState>({
    id,
    typed: restored?.edits ?? {},
    sent: (id === newId && making.unanswered()) || {},
    sending: null,
    failure: null,
    loadError: null,
    refused: {},
    publishes: 0,
    isOnline: true,
    isComparing: false,
    writer: texts.conflict.somebody,
  });
  const look = () => {
    const state = store.get();
    const record = saved.get(state.id);
    /** When edits were made that an earlier visit left unsaved. */
    const restoredFrom = restored?.at ?? null;
    return { state, record, view: { ...viewOf(resource, state, record), restoredFrom } };
  };
  let last = look();
  return {
    making,
    read: store.get,
    /** The view; the same object until state or record changes, as useSyncExternalStore requires. */
    get: () => {
      const { state, record } = last;
      if (state !== store.get() || record !== saved.get(state.id)) last = look();
      return last.view;
    },
    change: (changes: Partial<RecordSessionState>) => store.set({ ...store.get(), ...changes }),
    subscribe: store.subscribe,
  };
}

/** What a session remembers of a record's form, besides the record as the service has it. */
interface RecordSessionState extends Typing {
  /** `newId` until the record is made. */
  id: string;
  /** What is on its way to the service. */
  sending: Values | null;
  /** Why the last save failed. */
  failure: unknown;
  /** Why the record could not be read. */
  loadError: unknown;
  /** What the service said against single fields. */
  refused: FieldProblems;
  /** How many times publishing was asked for and has not ended. */
  publishes: number;
  isOnline: boolean;
  /** Whether somebody is choosing between their values and somebody else's. */
  isComparing: boolean;
  /** Who has written the record besides. */
  writer: string;
}

export type RecordView = ReturnType<typeof viewOf>;

/** How a record stands in its form: as the service has it, with what was typed on top. */
function viewOf(resource: Resource, state: RecordSessionState, saved: OwnRecord | undefined) {
  const { id, sending, failure, loadError, refused, publishes, isOnline, writer } = state;
  const isNew = id === newId;
  const { pending, edits, conflicts } = standingOf(state, saved, resource.fields);
  const values: Values = { ...unsetOf(resource), ...saved, ...edits };
  const broken = isNew ? problemsOf(resource.create, edits) : problemsOf(resource.update, { id, ...edits });
  const problems = { ...broken, ...refused };
  const fit = withoutNames(edits, problems);
  const isOfDraft = 'is_draft' in resource.fields && (isNew || isDraft(values));
  return {
    id,
    isNew,
    saved,
    pending,
    edits,
    hasEdits: Object.keys(edits).length > 0,
    values,
    title: titleOf(shapeOf(resource), values) || texts.records.untitled,
    isDraft: isOfDraft,
    /** What the contract says against it. */
    broken,
    /** The same, with what the service said. */
    problems,
    /** Edits that nothing is said against. */
    fit,
    /** Fields that somebody else has changed while they were typed into. */
    conflicts,
    writer,
    isComparing: state.isComparing && conflicts.length > 0,
    isSaving: sending !== null,
    isPublishing: publishes > 0 || sending?.is_draft === false,
    isSavedByItself: isOfDraft && !(isNew && isBroken(resource.create, fit)),
    isOffline: !isOnline,
    loadError,
    // That somebody was faster is told as a conflict, or is none.
    saveError: isOutrun(failure) ? null : failure,
    /** Whether it is only fields that were typed into that stand in the way. */
    isExplained: Object.keys(problemsIn(failure, Object.keys(edits))).length > 0,
  };
}

const isBroken = (contract: z.ZodType, values: Values) =>
  Object.keys(problemsOf(contract, values)).length > 0;

/** What the fields of a record hold that nothing was typed into. */
export const unsetOf = ({ fields }: Resource): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, { unset }]) => [name, unset]));
