import { Readable } from 'node:stream';
import { IsolationLevel } from '@mikro-orm/postgresql';
import { type Wait, watchTransfer } from '../../shared/runtime/timeouts.ts';
import type { ListPart, RecordSize } from '../api/context.ts';
import type { LargeAnswerError } from '../api/large-answer.ts';
import { joined } from '../api/transaction.ts';

export interface LargeAnswer extends Disposable {
  /** Answer without its records. They are inserted as the field `key`. */
  rest: object;
  key: string;
  records(): AsyncGenerator<unknown>;
  /**
   * True if another large answer waits that could begin if this one ended. It is for the same site, or for any site
   * while all slots are taken.
   */
  isAwaited(): boolean;
}

/**
 * Large answer: a list that is too large for memory, sent in parts from one database snapshot.
 *
 *   waiting ──slot of the quota──▶ open ──all records read, reader gone or too slow──▶ closed
 *      └──no slot in time──▶ `database_busy`
 *
 * While open, it occupies a read-only transaction and a slot of a quota, which has one slot per site and few in total.
 * Records are fetched in groups of about 256 KB, as fast as the reader takes them. Disposing of it, which `timedBody`
 * always does, ends the transaction and frees the slot.
 */
export async function openLargeAnswer({ call }: LargeAnswerError): Promise<LargeAnswer> {
  if (!call) throw new Error('the call of a large answer is not set');
  const { deps, siteId } = call.ctx;
  if (siteId === undefined) throw new Error('the site of a large list is not set');
  const opened = Promise.withResolvers<LargeAnswer>();
  const closed = Promise.withResolvers<void>();
  const snapshot = { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true };
  const hold = () =>
    deps.database.em.fork().transactional(async (em) => {
      // The transaction is idle while the reader is slow, so its timeout must exceed the longest transfer.
      const heldMs = deps.timeouts.largeAnswer.maxMs + 1_000;
      await em.execute(`set local idle_in_transaction_session_timeout = ${heldMs}`);
      const within = joined(deps, siteId, em);
      opened.resolve({
        ...(await begin((listPart) => call.run({ deps: within, listPart }))),
        isAwaited: () => deps.database.quotas.largeAnswers.isAwaited(siteId),
        [Symbol.dispose]: closed.resolve,
      });
      await closed.promise;
    }, snapshot);
  deps.database.quotas.largeAnswers(siteId, hold).catch(opened.reject);
  return opened.promise;
}

/** Maximum bytes of records that are fetched together, unless a single one has more. */
const bytesTogether = 256 * 1024;

async function begin(
  run: (part: ListPart) => Promise<unknown>,
): Promise<Omit<LargeAnswer, keyof Disposable | 'isAwaited'>> {
  const first: Extract<ListPart, { sizes: unknown }> = { sizes: [] };
  const { rest, key, records } = splitList(await run(first));
  // A query for a page reads one record more than the page has.
  const sizes = 'slice' in first.sizes ? first.sizes.slice(0, records.length) : first.sizes;
  return {
    rest,
    key,
    async *records() {
      for await (const ids of together(sizes)) yield* splitList(await run({ ids })).records;
    },
  };
}

/**
 * Finds the records of a list answer, which is an object with one list under `key`. Throws an `Error` if it has none.
 */
function splitList(answer: unknown): { rest: object; key: string; records: unknown[] } {
  const entries = Object.entries(Object(answer));
  for (const [key, records] of entries)
    if (Array.isArray(records)) return { rest: Object(answer), key, records };
  throw new Error('a too large answer contains no list');
}

async function* together(sizes: Iterable<RecordSize> | AsyncIterable<RecordSize>): AsyncGenerator<string[]> {
  let ids: string[] = [];
  let sum = 0;
  for await (const { id, bytes } of sizes) {
    if (ids.length > 0 && sum + bytes > bytesTogether) {
      yield ids;
      ids = [];
      sum = 0;
    }
    ids.push(id);
    sum += bytes;
  }
  if (ids.length > 0) yield ids;
}

/** Bytes per step of the body; the reader's speed is measured in steps. */
const bytesPerStep = 64 * 1024;

/**
 * Creates a response body from JSON texts. It is destroyed if reading it takes longer than `wait.maxMs`. While
 * another list waits for the turn of the current answer, it is also destroyed if its reader is slower than the pace of
 * `wait`. `current` returns the answer that occupies a turn, if there is one. The body disposes of it when it closes,
 * however it ends.
 */
export function timedBody(
  texts: AsyncGenerator<string>,
  wait: Wait,
  current: () => LargeAnswer | undefined,
): Readable {
  let isReadersTurn = false;
  async function* steps() {
    for await (const text of texts) {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += bytesPerStep) {
        const step = bytes.subarray(at, at + bytesPerStep);
        isReadersTurn = true;
        yield step;
        isReadersTurn = false;
        watched.moved(step.length);
      }
    }
  }
  const body = Readable.from(steps(), { objectMode: false });
  const watched = watchTransfer(
    wait,
    () => body.destroy(new Error('transfer of a large list timed out: the client reads too slowly')),
    () => !isReadersTurn || !current()?.isAwaited(),
  );
  return body.once('close', () => {
    watched.end();
    current()?.[Symbol.dispose]();
  });
}

/** Yields the JSON text of a large answer, piece by piece. */
export async function* jsonOf({
  rest,
  key,
  records,
}: Pick<LargeAnswer, 'rest' | 'key' | 'records'>): AsyncGenerator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    if (name === key) yield* listOf(records());
    else yield JSON.stringify(value);
    before = ',';
  }
  yield '}';
}

async function* listOf(records: AsyncGenerator<unknown>): AsyncGenerator<string> {
  let before = '[';
  for await (const record of records) {
    yield `${before}${JSON.stringify(record)}`;
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
