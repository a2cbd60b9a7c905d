import { sql } from 'kysely';
import pg from 'pg';
import { Timestamp } from '../contract/moments.ts';
import {
  createStatementNames,
  type Followed,
  followedMark,
  isMarked,
  lastMark,
  preparedMark,
} from './marks.ts';
import { SessionClient, type SessionOptions } from './session.ts';
import {
  DatabaseAwayError,
  DatabaseBusyError,
  isLost,
  type Trouble,
  troubleOf,
  UnansweredWriteError,
} from './troubles.ts';
import type { Waits } from './waits.ts';

/**
 * At the front of a statement: PostgreSQL parses and plans it once per connection, which for a lookup by index is most
 * of its cost. Only for texts that never vary, since each stays in memory, and whose best plan is the same for all
 * values: what a partial index depends on is written out, not a parameter.
 */
export const preparedStatement = sql.raw(preparedMark);

export interface DatabaseClientOptions extends SessionOptions {
  /** As long as it takes when left out. */
  waits?: Waits | undefined;
  /** Told of each statement that the database had trouble with. */
  onTrouble?: ((trouble: Trouble) => void) | undefined;
}

/**
 * A connection that prepares the statements that ask for it, and breaks when PostgreSQL is silent for longer than it may
 * be: a frozen server ends no statement by itself. The pool replaces a broken connection.
 *
 * The beginning of a transaction travels with its first statement, and its end with one that is marked as its last.
 */
export class Client extends SessionClient {
  readonly #onTrouble: DatabaseClientOptions['onTrouble'];
  readonly #waits: Waits | undefined;
  readonly #send: (text: unknown, ...rest: unknown[]) => unknown;
  /** A transaction has begun of which PostgreSQL knows nothing yet. */
  #isToBegin = false;
  /** The commit that went along with the last statement of a transaction. */
  #committing: Promise<unknown> | null = null;
  /** A commit is kept here and perhaps on no standby, as somebody ended its wait for one. */
  #isUnsure = false;

  constructor(options: DatabaseClientOptions = {}) {
    super(options);
    this.#waits = options.waits;
    this.#onTrouble = options.onTrouble;
    this.on('notice', ({ routine }) => {
      this.#isUnsure ||= routine === 'SyncRepWaitForLSN';
    });
    const original = this.query;
    const withName = createStatementNames();
    this.#send = (text, ...rest) => Reflect.apply(original, this, [withName(text), ...rest]);
    // pg declares many forms of the method; only the first argument is looked at, and all forms pass through.
    Object.assign(this, {
      pipeline: true,
      query: (text: unknown, ...rest: unknown[]) => this.#run(text, ...rest),
    });
  }

  #run(text: unknown, ...rest: unknown[]): unknown {
    if (text === 'begin') {
      this.#isToBegin = true;
      return Promise.resolve(nothing('BEGIN'));
    }
    const isEnd = text === 'commit' || text === 'rollback';
    if (isEnd && this.#isToBegin) {
      this.#isToBegin = false;
      return Promise.resolve(nothing(text.toUpperCase()));
    }
    if (this.#committing) return this.#end(this.#committing, text);
    const isBegun = this.#isToBegin;
    if (isBegun) this.#begin();
    const isLast = isMarked(text, lastMark) && (isBegun || this.getTransactionStatus() === 'T');
    const result = this.#watched(this.#send(text, ...rest), {
      isAlone: !isBegun && this.getTransactionStatus() === 'I',
      commits: isLast || text === 'commit',
      text,
    });
    if (isLast) this.#committing = this.#commit();
    return isMarked(text, followedMark) && this.getTransactionStatus() === 'T' ? followed(result) : result;
  }

  /** Should it fail, nothing behind it may be carried out by itself. */
  #begin() {
    this.#isToBegin = false;
    const begin = this.#waits ? `begin; set local statement_timeout = ${this.#waits.transactionMs}` : 'begin';
    Promise.resolve(this.#send(begin)).catch((error: Error) => this.connection.stream.destroy(error));
  }

  #commit() {
    const about = { isAlone: false, commits: true, text: 'commit' };
    const committing = Promise.resolve(this.#watched(this.#send('commit'), about));
    // Whoever ends the transaction hears of it.
    committing.catch(() => {});
    return committing;
  }

  /** What PostgreSQL said of the commit: of a transaction that failed, it makes a rollback. */
  async #end(committing: Promise<unknown>, text: unknown) {
    this.#committing = null;
    const result = await committing;
    const isKept =
      typeof result === 'object' && result !== null && Reflect.get(result, 'command') === 'COMMIT';
    if (text !== (isKept ? 'commit' : 'rollback'))
      throw new Error(`a statement was sent after the end of its transaction: ${textOf(text)}`);
    return result;
  }

  #watched(result: unknown, about: Sent): unknown {
    return this.#waits && result instanceof Promise ? this.#watch(result, about, this.#waits) : result;
  }

  async #watch(result: Promise<unknown>, { isAlone, commits, text }: Sent, waits: Waits) {
    const ms = waits.silenceMs + (isAlone ? waits.readMs : waits.transactionMs);
    const mayHaveWritten = commits || (isAlone && writes(text));
    const timer = setTimeout(() => this.#breakOff(ms, mayHaveWritten), ms);
    try {
      const answer = await result;
      if (!this.#isUnsure || !(isAlone || text === 'commit')) return answer;
      this.#isUnsure = false;
      throw new UnansweredWriteError('the commit stopped waiting for a synchronous standby');
    } catch (cause) {
      const trouble = troubleOf(cause);
      if (trouble) this.#onTrouble?.(trouble);
      if (!isLost(cause)) throw cause;
      const Lost = mayHaveWritten ? UnansweredWriteError : DatabaseAwayError;
      throw new Lost(`connection to PostgreSQL lost: ${reasonOf(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whoever waits for this connection gets the error: one that says to try again, unless that could do a write twice. */
  #breakOff(ms: number, mayHaveWritten: boolean) {
    const message = `timed out: PostgreSQL has not answered for ${ms} ms`;
    this.connection.stream.destroy(new (mayHaveWritten ? UnansweredWriteError : DatabaseBusyError)(message));
  }
}

/** What is known of a statement that was sent. */
interface Sent {
  /** It is a transaction by itself. */
  isAlone: boolean;
  /** A commit goes along with it, or it is one. */
  commits: boolean;
  text: unknown;
}

/** What pg answers with where PostgreSQL was not asked. */
const nothing = (command: string) => ({ command, rowCount: null, rows: [], fields: [] });

/** Its failure is heard by whoever ends the transaction. */
function followed(result: unknown) {
  const answer = Promise.resolve(result);
  answer.catch(() => {});
  return Promise.resolve({ ...nothing('SELECT'), rows: [{ answer }] satisfies Followed[] });
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Whether a statement by itself may change something, in whichever part; within a transaction none does before the commit. */
const writes = (text: unknown) => /\b(insert into|update|delete from)\b/i.test(textOf(text));

const textOf = (query: unknown) =>
  typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query);

/** Kysely's rows come straight from the driver: moments as `Timestamp`, numerics as numbers. */
export function typedValues() {
  const { TIMESTAMPTZ, NUMERIC, INT8 } = pg.types.builtins;
  const parseMoment = pg.types.getTypeParser(TIMESTAMPTZ);
  const types = new pg.TypeOverrides();
  types.setTypeParser(TIMESTAMPTZ, (text: string) => new Timestamp(parseMoment(text)));
  types.setTypeParser(NUMERIC, Number);
  types.setTypeParser(INT8, Number);
  return types;
}
