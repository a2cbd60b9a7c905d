import { createHash } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { Timestamp } from '../contract/moments.ts';
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

const preparedMark = '/* prepared statement */';

/**
 * Prefix of statements that PostgreSQL parses and plans once per connection; that is most of the cost of a lookup by index.
 * Use it only for texts that never vary, because each text stays in memory. The best plan must be the same for all
 * values: write conditions of partial indexes out, not as parameters.
 */
export const preparedStatement = sql.raw(preparedMark);

export interface DatabaseClientOptions extends SessionOptions {
  /** As long as it takes when left out. */
  waits?: Waits | undefined;
  /** Told of each statement that the database had trouble with. */
  onTrouble?: ((trouble: Trouble) => void) | undefined;
}

/**
 * Connection that prepares the statements marked with `preparedStatement`. If PostgreSQL does not answer in time, it breaks:
 * a frozen server ends no statement by itself. The pool replaces a broken connection.
 */
export class Client extends SessionClient {
  readonly #onTrouble: DatabaseClientOptions['onTrouble'];
  readonly #waits: Waits | undefined;
  readonly #send: (text: unknown, ...rest: unknown[]) => unknown;
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
    const waits = this.#waits;
    if (!waits) return this.#send(text, ...rest);
    const isAlone = this.getTransactionStatus() === 'I';
    const result =
      text === 'begin'
        ? this.#send(`begin; set local statement_timeout = ${waits.transactionMs}`)
        : this.#send(text, ...rest);
    return result instanceof Promise ? this.#watch(result, { text, isAlone, waits }) : result;
  }

  /** Fails a statement whose answer does not come in time; `isAlone` if it is not part of a transaction. */
  async #watch(
    result: Promise<unknown>,
    { text, isAlone, waits }: { text: unknown; isAlone: boolean; waits: Waits },
  ) {
    const ms = waits.silenceMs + (isAlone ? waits.readMs : waits.transactionMs);
    const mayHaveWritten = text === 'commit' || (isAlone && writes(text));
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

/** Returns a function that names the statements marked as prepared, and passes all others through. */
function createStatementNames() {
  const names = new Map<string, string>();
  return (text: unknown) => {
    // Kysely's `modifyFront` puts the mark behind `select`.
    const isPrepared =
      typeof text === 'string' && text.slice(0, 2 * preparedMark.length).includes(preparedMark);
    if (!isPrepared) return text;
    const name = names.get(text) ?? createHash('sha1').update(text).digest('hex');
    names.set(text, name);
    return { name, text };
  };
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

/** Placeholder of a value that is known when the statement runs. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Returns a function that runs a prepared statement whose text is compiled once per process, because compiling takes longer than
 * running it. `write` gets a placeholder for each of the values. The statement goes directly to `pg`; every layer between costs more
 * than the statement.
 */
export function statementWithPlaceholders<V extends Record<string, unknown>, Row extends object>(
  names: readonly (keyof V & string)[],
  write: (places: Record<keyof V & string, RawBuilder<unknown>>) => RawBuilder<Row>,
) {
  let written: { text: string; places: readonly unknown[] } | undefined;
  const writeOnce = <DB>(db: Kysely<DB>) => {
    const entries = names.map((name) => [name, sql.val(new Place(name))]);
    const query = sql`${preparedStatement}${write(Object.fromEntries(entries))}`.compile(db);
    return { text: query.sql, places: query.parameters };
  };
  return (
    database: {
      em: { getKysely(): Kysely<unknown> };
      rows<R extends object>(text: string, values: readonly unknown[]): Promise<readonly R[]>;
    },
    values: V,
  ): Promise<readonly Row[]> => {
    written ??= writeOnce(database.em.getKysely());
    const parameters = written.places.map((place) => (place instanceof Place ? values[place.name] : place));
    return database.rows<Row>(written.text, parameters);
  };
}
