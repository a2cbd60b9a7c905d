import { keepEtag } from '../../client/sdk/etag.ts';
import type { OwnRecord, Values } from '../../client/studio/data/records.ts';
import type { SessionDeps } from '../../client/studio/records/record/session/store.ts';
import type { Actor } from '../../shared/contract/history.ts';

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
