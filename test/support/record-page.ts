import { keepEtag } from '../../client/sdk/etag.ts';
import { newId, type OwnRecord, type Values } from '../../client/studio/data/records.ts';
import { createUnsaved } from '../../client/studio/data/unsaved-edits.ts';
import { createRecordSession } from '../../client/studio/records/record/session/record-session.ts';
import type { SavedRecords, SessionDeps } from '../../client/studio/records/record/session/store.ts';
import { storageOf } from '../../client/studio/ui/browser-storage.ts';
import type { Actor } from '../../shared/contract/history.ts';
import type { Resource } from '../../shared/contract/resource.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { memoryStorage } from './memory-storage.ts';

/** Write as it arrived. */
interface Write {
  by: 'owner' | 'another';
  id: string;
  values: Values;
  /** Record before the write; empty if it was created. */
  before: Values;
}

interface Call {
  arrive(): object;
  answer: PromiseWithResolvers<never>;
  /** Result at its arrival; undefined before. */
  given?: { value: object } | { error: unknown };
}

/** Returns an error as the service answers it. */
export const refusal = (code: string, httpStatus: number) =>
  Object.assign(new Error(code), { data: { code, httpStatus } });

const owner: Actor = { kind: 'owner', id: 'ada', name: 'Ada' };
const another: Actor = { kind: 'key', id: 'key', name: 'another' };

const lost = () => new TypeError('Failed to fetch');

/** Simulates the service for a form. The test decides when a call arrives and when it is answered. */
export function createRecordService(unset: Values) {
  const records = new Map<string, OwnRecord>();
  const made = new Map<string, string>();
  const writes: Write[] = [];
  const keys: string[] = [];
  const calls: Call[] = [];
  const put = (id: string, values: Values, by: Write['by']) => {
    const before = records.get(id);
    const at = new Date('2026-05-01T12:00:00Z');
    const revision = (before?.revision ?? 0) + 1;
    writes.push({ by, id, values, before: before ?? {} });
    records.set(id, { created: at, ...unset, ...before, ...values, id, updated: at, revision });
    return keepEtag({ id }, `"${revision}-"`);
  };
  const create = (values: Values, key: string) => {
    const known = made.get(key);
    if (known) return keepEtag({ id: known }, '"1-"');
    const id = `made${records.size}`.padEnd(15, '0');
    made.set(key, id);
    return put(id, values, 'owner');
  };
  const update = ({ id, ...values }: Values & { id: string }, ifMatch: string | undefined) => {
    if (ifMatch !== `"${records.get(id)?.revision}-"`) throw refusal('precondition_failed', 412);
    return put(id, values, 'owner');
  };
  const send = (arrive: () => object) => {
    const answer = Promise.withResolvers<never>();
    calls.push({ arrive, answer });
    return answer.promise;
  };
  const arrive = (call: Call) => {
    try {
      call.given ??= { value: call.arrive() };
    } catch (error) {
      call.given = { error };
    }
  };
  const end = (settle: (call: Call) => void) => {
    const call = calls.shift();
    if (call) settle(call);
  };
  const api: SessionDeps['records'] = {
    create: {
      mutate: (values, options) => {
        keys.push(options?.idempotencyKey ?? '');
        return send(() => create(values, options?.idempotencyKey ?? ''));
      },
    },
    update: { mutate: (input, options) => send(() => update(input, options?.ifMatch)) },
    revisions: {
      query: async ({ id }) => ({
        items: writes
          .filter((write) => write.id === id)
          .map(({ by }, at) => ({
            revision: at + 1,
            created: new Date(0),
            changed: [],
            actor: by === 'owner' ? owner : another,
          }))
          .reverse(),
      }),
    },
  };
  return {
    api,
    writes,
    /** Idempotency keys of the create calls. */
    keys,
    isWaiting: () => calls.length > 0,
    find: (id: string): OwnRecord | undefined => records.get(id),
    all: () => [...records.values()],
    /** Creates a record, or changes one as another person. */
    write: (id: string, values: Values) => void put(id, values, 'another'),
    /** Lets the oldest call arrive. If it has arrived, answers it. */
    goOn: () => {
      const [call] = calls;
      if (!call) return;
      if (!call.given) return arrive(call);
      end(({ given, answer }) =>
        given && 'value' in given ? answer.resolve(given.value as never) : answer.reject(given?.error),
      );
    },
    /** Lets the oldest call arrive and loses its answer. */
    loseAnswer: () =>
      end((call) => {
        arrive(call);
        call.answer.reject(lost());
      }),
    /** Simulates the end of the page: calls on their way arrive, and their answers are lost. */
    abandon: () => {
      for (const call of calls.splice(0)) arrive(call);
    },
    /** Loses the oldest call before it arrives. */
    refuse: (error: unknown = lost()) => end(({ answer }) => answer.reject(error)),
  };
}

export type RecordService = ReturnType<typeof createRecordService>;

/** Resolves when all running work waits for the network or the clock. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Creates a studio page in a browser with the storage `stored`. At most one form is open at a time. */
export function openPage(service: RecordService, stored = memoryStorage()) {
  const storage = storageOf({ siteId: 'harbour', ownerId: 'ada' }, () => stored);
  const unsaved = createUnsaved(storage);
  const cache = new Map<string, OwnRecord>();
  const timers = new Set<() => void>();
  const lookers = new Set<() => void>();
  const toasts: { message: string; undo: (() => void) | undefined }[] = [];
  const told = { created: [] as string[], refusals: 0, failures: [] as unknown[] };
  let isGone = false;
  const unlessGone = <Answer>(send: () => Promise<Answer>) =>
    isGone ? new Promise<Answer>(() => {}) : send();
  const { create, update, revisions } = service.api;
  const records: typeof service.api = {
    create: { mutate: (...sent) => unlessGone(() => create.mutate(...sent)) },
    update: { mutate: (...sent) => unlessGone(() => update.mutate(...sent)) },
    revisions,
  };
  const look = () => {
    for (const again of [...lookers]) again();
  };
  const read = (id: string): OwnRecord => {
    const found = service.find(id);
    if (!found) throw new Error(`no record with the ID ${id}`);
    if (cache.get(id)?.revision !== found.revision) cache.set(id, found);
    return cache.get(id) ?? found;
  };
  const saved: SavedRecords = {
    get: (id) => cache.get(id),
    read: async (id) => read(id),
    set: (id, change) => void cache.set(id, change(cache.get(id))),
    invalidate: () => queueMicrotask(look),
    watch: (id, onLook) => {
      const again = () => {
        read(id);
        onLook(null);
      };
      if (id === newId) return () => {};
      lookers.add(again);
      queueMicrotask(() => lookers.has(again) && again());
      return () => lookers.delete(again);
    },
  };
  const clock = {
    now: () => new Date('2026-05-01T12:00:00Z'),
    after: (_: number, work: () => void) => {
      timers.add(work);
      return () => timers.delete(work);
    },
  };
  const events = {
    created: (id: string) => void told.created.push(id),
    refused: () => {
      told.refusals++;
    },
    failed: (error: unknown) => void told.failures.push(error),
    toast: (message: string, undo?: () => void) => void toasts.push({ message, undo }),
  };
  /** Opens the form of a record, or of a new one. */
  const openForm = (id: string = newId, resource: Resource = resources.posts) => {
    const session = createRecordSession({
      resource,
      id,
      draftKey: newId,
      records,
      saved,
      storage,
      unsaved,
      clock,
      events,
    });
    const leave = session.open();
    return { ...session.actions, view: session.get, leave, setOnline: session.setOnline };
  };
  /** Lets the pause pass after which changes are saved automatically. */
  const pause = () => {
    const due = [...timers];
    timers.clear();
    for (const work of due) work();
  };
  return {
    stored,
    storage,
    toasts,
    told,
    openForm,
    pause,
    /** Closes or reloads the tab. */
    close: () => {
      isGone = true;
      timers.clear();
      lookers.clear();
      service.abandon();
    },
    /** Gives the window the focus. */
    look,
    /** Presses Undo in the latest toast that has the button. */
    undo: () => toasts.findLast(({ undo }) => undo)?.undo?.(),
    /** Answers calls and passes time until nothing is left to do. Throws if that does not end. */
    rest: async () => {
      for (let turns = 0; turns < 60; turns++) {
        await settled();
        if (service.isWaiting()) service.goOn();
        else if (timers.size > 0) pause();
        else return;
      }
      throw new Error('calls or timers are still pending after 60 turns');
    },
  };
}

/** Returns every order in which the steps of several actors can be interleaved. */
export function interleavings<Step>(...actors: (readonly Step[])[]): Step[][] {
  const busy = actors.filter((steps) => steps.length > 0);
  if (busy.length === 0) return [[]];
  return busy.flatMap((chosen) => {
    const [first, ...rest] = chosen;
    if (first === undefined) return [];
    const left = busy.map((steps) => (steps === chosen ? rest : steps));
    return interleavings(...left).map((order) => [first, ...order]);
  });
}
