import { createHash } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { Timestamp } from '../contract/timestamps.ts';
import {
  classifyDatabaseError,
  DatabaseBusyError,
  type DatabaseErrorKind,
  DatabaseUnavailableError,
  isLost,
  isUnread,
  UnansweredWriteError,
} from './database-errors.ts';
import type { Waits } from './database-timeouts.ts';
import { SessionClient, type SessionOptions } from './session.ts';

const preparedStatementHint = '/* prepared statement */';

/**
 * Prefix of statements that PostgreSQL parses and plans once per connection, which is most of the cost of a lookup by
 * index. Use it only for texts that never vary, because each text stays in memory. The best plan must be the same for
 * all values. Write the conditions of partial indexes as literals, not as parameters.
 */
export const preparedStatement = sql.raw(preparedStatementHint);

export interface DatabaseClientOptions extends SessionOptions {
  /** Time limits; unlimited if omitted. */
  waits?: Waits | undefined;
  /** Receives the kind of each database error for which `classifyDatabaseError` returns one. */
  onDatabaseError?: ((errorKind: DatabaseErrorKind) => void) | undefined;
}

/**
 * Connection that prepares the statements marked with `preparedStatement`. It breaks if PostgreSQL does not answer in
 * time, because a frozen server never ends a statement itself. The pool replaces a broken connection.
 */
export class Client extends SessionClient {
  readonly #onDatabaseError: DatabaseClientOptions['onDatabaseError'];
  readonly #waits: Waits | undefined;
  readonly #send: (text: unknown, ...rest: unknown[]) => unknown;
  /**
   * True if an operator ended a commit's wait for a synchronous standby. The commit exists on this server, but perhaps
   * on no standby.
   */
  #isUnsure = false;

  constructor(options: DatabaseClientOptions = {}) {
    super(options);
    this.#waits = options.waits;
    this.#onDatabaseError = options.onDatabaseError;
    this.on('notice', ({ routine }) => {
      this.#isUnsure ||= routine === 'SyncRepWaitForLSN';
    });
    const original = this.query;
    const withName = createStatementNames();
    this.#send = (text, ...rest) => Reflect.apply(original, this, [withName(text), ...rest]);
    // pg declares many overloads of the method. Only the first argument is read, and all overloads pass through.
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

  /** Fails a statement whose answer does not arrive in time. `isAlone` means that it is not part of a transaction. */
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
      const errorKind = classifyDatabaseError(cause);
      if (errorKind) this.#onDatabaseError?.(errorKind);
      if (!isLost(cause)) throw cause;
      const Lost = mayHaveWritten && !isUnread(cause) ? UnansweredWriteError : DatabaseUnavailableError;
      throw new Lost(`connection to PostgreSQL lost: ${reasonOf(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Breaks the connection, which fails the statement. The error allows a retry unless the statement may already have
   * written.
   */
  #breakOff(ms: number, mayHaveWritten: boolean) {
    const message = `timed out: PostgreSQL has not answered for ${ms} ms`;
    this.connection.stream.destroy(new (mayHaveWritten ? UnansweredWriteError : DatabaseBusyError)(message));
  }
}

/** Returns a function that adds a name to statements marked as prepared. It returns all others unchanged. */
function createStatementNames() {
  const names = new Map<string, string>();
  return (text: unknown) => {
    // Kysely's `modifyFront` inserts the mark after `select`.
    const isPrepared =
      typeof text === 'string' &&
      text.slice(0, 2 * preparedStatementHint.length).includes(preparedStatementHint);
    if (!isPrepared) return text;
    const name = names.get(text) ?? createHash('sha1').update(text).digest('hex');
    names.set(text, name);
    return { name, text };
  };
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * True if a statement outside a transaction may write, in any part of it. Within a transaction only the commit
 * makes writes permanent.
 */
const writes = (text: unknown) => /\b(insert into|update|delete from)\b/i.test(textOf(text));

const textOf = (query: unknown) =>
  typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query);

/**
 * Parsers for Kysely's rows, which come straight from the driver: timestamps become `Timestamp`, numerics and big
 * integers become numbers.
 */
export function typedValues() {
  const { TIMESTAMPTZ, NUMERIC, INT8 } = pg.types.builtins;
  const parseTimestamp = pg.types.getTypeParser(TIMESTAMPTZ);
  const types = new pg.TypeOverrides();
  types.setTypeParser(TIMESTAMPTZ, (text: string) => new Timestamp(parseTimestamp(text)));
  types.setTypeParser(NUMERIC, Number);
  types.setTypeParser(INT8, Number);
  return types;
}

/** Placeholder for a value that is known when the statement runs. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Returns a function that runs a prepared statement whose text is compiled once per process. Compiling takes longer
 * than running it. `write` receives a placeholder for each value. The statement goes directly to `pg`, because every
 * layer between costs more than the statement.
 */
export function statementWithPlaceholders<V extends Record<string, unknown>, Row extends object>(
  names: readonly (keyof V & string)[],
  write: (positions: Record<keyof V & string, RawBuilder<unknown>>) => RawBuilder<Row>,
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
    const parameters = written.places.map((position) =>
      position instanceof Place ? values[position.name] : position,
    );
    return database.rows<Row>(written.text, parameters);
  };
}
