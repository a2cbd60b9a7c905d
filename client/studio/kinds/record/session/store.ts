import type { Resource } from '../../../../../shared/contract/resource.ts';
import { newId, type OwnRecord, type RecordProcedures } from '../../../data/records.ts';
import type { Unsaved } from '../../../data/unsaved.ts';
import { createOnce } from '../../../forms/once.ts';
import { texts } from '../../../texts/texts.ts';
import type { BrowserStorage } from '../../../ui/browser-storage.ts';
import { createStore } from '../../../ui/store.ts';
import { type RecordSessionState, viewOf } from './view.ts';

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
