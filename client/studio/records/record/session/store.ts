import type { z } from 'zod';
import type { Resource } from '../../../../../shared/contract/resource.ts';
import { isDraft, shapeOf, titleOf } from '../../../data/record-shape.ts';
import { newId, type OwnRecord, type RecordProcedures, type Values } from '../../../data/records.ts';
import type { Unsaved } from '../../../data/unsaved-edits.ts';
import { type EditState, formStateOf, withoutNames } from '../../../forms/edits.ts';
import { type FieldProblems, problemsIn, problemsOf } from '../../../forms/field-problems.ts';
import { createOnce } from '../../../forms/idempotent-create.ts';
import { isConflict } from '../../../forms/update-with-retry.ts';
import { strings } from '../../../strings/ui-strings.ts';
import type { BrowserStorage } from '../../../ui/browser-storage.ts';
import { createStore } from '../../../ui/store.ts';

export interface SessionDeps {
  resource: Resource;
  /** ID of the record, or `newId` for a new one. */
  id: string;
  /** Name in browser storage for the edits of a new record. */
  draftKey: string;
  records: Pick<RecordProcedures, 'create' | 'update' | 'revisions'>;
  saved: SavedRecords;
  storage: BrowserStorage;
  unsaved: Unsaved;
  clock: Clock;
  events: SessionEvents;
}

/** Saved records in this page's query cache. */
export interface SavedRecords {
  get(id: string): OwnRecord | undefined;
  read(id: string): Promise<OwnRecord>;
  set(id: string, change: (known: OwnRecord | undefined) => OwnRecord): void;
  /** Marks lists and other queries with records of this resource as stale. */
  invalidate(): void;
  /**
   * Fetches a record repeatedly. Calls `onLook` after each fetch, with its error or null. Returns a function that stops it.
   */
  watch(id: string, onLook: (error: unknown) => void): () => void;
}

interface Clock {
  now(): Date;
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}

/** Callbacks to the screen, for news that the view does not contain. */
interface SessionEvents {
  /** Called with the ID of a created record while the form is open. */
  created(id: string): void;
  /** Called if an action failed for any reason, also because a problem or a conflict stopped it. */
  refused(): void;
  /** Called instead of `refused` if the form was left. */
  failed(error: unknown): void;
  toast(message: string, undo?: () => void): void;
}

/** Returns the name of a record's edits in browser storage. */
export const draftKeyOf = ({ draftKey }: SessionDeps, id: string) => (id === newId ? draftKey : id);

export type RecordStore = ReturnType<typeof createRecordStore>;

/** Creates the store of a session: its state, and the view derived from it. */
export function createRecordStore(deps: SessionDeps) {
  const { resource, id, draftKey, unsaved, saved, storage } = deps;
  const { collection } = resource;
  const making = createOnce(storage, `${collection}:${draftKey}`);
  const restored = unsaved.read(collection, draftKeyOf(deps, id));
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
    writer: strings.conflict.somebody,
  });
  const look = () => {
    const state = store.get();
    const record = saved.get(state.id);
    /** Time of the edits that an earlier visit left unsaved. */
    const restoredFrom = restored?.at ?? null;
    return { state, record, view: { ...viewOf(resource, state, record), restoredFrom } };
  };
  let last = look();
  return {
    making,
    read: store.get,
    get: () => {
      const { state, record } = last;
      if (state !== store.get() || record !== saved.get(state.id)) last = look();
      return last.view;
    },
    change: (changes: Partial<RecordSessionState>) => store.set({ ...store.get(), ...changes }),
    subscribe: store.subscribe,
  };
}

/** State of a session, without the saved record. */
interface RecordSessionState extends EditState {
  /** `newId` until the record is created. */
  id: string;
  /** Values of the write in flight. */
  sending: Values | null;
  /** Error of the last save. */
  failure: unknown;
  /** Error of the last fetch. */
  loadError: unknown;
  /** Problems that the service reported for single fields. */
  refused: FieldProblems;
  /** Number of publish requests that have not ended. */
  publishes: number;
  isOnline: boolean;
  /** True while the conflict dialog is open. */
  isComparing: boolean;
  /** Name of the other writer in a conflict. */
  writer: string;
}

export type RecordView = ReturnType<typeof viewOf>;

/** Returns the state of a record's form: the saved record with the edits applied. */
function viewOf(resource: Resource, state: RecordSessionState, saved: OwnRecord | undefined) {
  const { id, sending, failure, loadError, refused, publishes, isOnline, writer } = state;
  const isNew = id === newId;
  const { pending, edits, conflicts } = formStateOf(state, saved, resource.fields);
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
    title: titleOf(shapeOf(resource), values) || strings.records.untitled,
    isDraft: isOfDraft,
    /** Problems of field values that the contract finds, by field name. */
    broken,
    /** Problems of field values that the contract or the service finds, by field name. */
    problems,
    /** Edits of fields without problems. */
    fit,
    /** Fields with edits that another writer has changed. */
    conflicts,
    writer,
    isComparing: state.isComparing && conflicts.length > 0,
    isSaving: sending !== null,
    isPublishing: publishes > 0 || sending?.is_draft === false,
    isSavedByItself: isOfDraft && !(isNew && isBroken(resource.create, fit)),
    isOffline: !isOnline,
    loadError,
    // `precondition_failed` appears as conflicting fields. Without conflicting fields there is nothing to report.
    saveError: isConflict(failure) ? null : failure,
    /** True if the last failure reports a problem of an edited field. */
    isExplained: Object.keys(problemsIn(failure, Object.keys(edits))).length > 0,
  };
}

const isBroken = (contract: z.ZodType, values: Values) =>
  Object.keys(problemsOf(contract, values)).length > 0;

/** Returns the values of a resource's fields before anything is entered. */
export const unsetOf = ({ fields }: Resource): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, { unset }]) => [name, unset]));
