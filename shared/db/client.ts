import { createHash } from 'node:crypto';
import { CompiledQuery, type Kysely, type QueryResult, type RawBuilder, sql } from 'kysely';
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

const mark = '/* prepared statement */';

/**
 * At the front of a statement: PostgreSQL parses and plans it once per connection, which for a lookup by index is most
 * of its cost. Only for texts that never vary, since each stays in memory, and whose best plan is the same for all
 * values: what a partial index depends on is written out, not a parameter.
 */
export const preparedStatement = sql.raw(mark);

type Values = Record<string, unknown>;

/** Stands where a value goes that is known when the statement runs. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A prepared statement whose text is written once per process too, which takes longer than running it where many share
 * one. `write` is given what to put where each of the values goes.
 */
export function statementWithPlaces<V extends Values, Row>(
  names: readonly (keyof V & string)[],
  write: (places: Record<keyof V & string, RawBuilder<unknown>>) => RawBuilder<Row>,
) {
  let written: { text: string; places: readonly unknown[] } | undefined;
  const writeOnce = <DB>(db: Kysely<DB>) => {
    const entries = names.map((name) => [name, sql.val(new Place(name))]);
    const query = sql`${preparedStatement}${write(Object.fromEntries(entries))}`.compile(db);
    return { text: query.sql, places: query.parameters };
  };
  return <DB>(db: Kysely<DB>, values: V): Promise<QueryResult<Row>> => {
    written ??= writeOnce(db);
    const parameters = written.places.map((place) => (place instanceof Place ? values[place.name] : place));
    return db.executeQuery(CompiledQuery.raw(written.text, parameters));
  };
}

export interface ClientOptions extends SessionOptions {
  /** As long as it takes when left out. */
  waits?: Waits | undefined;
  /** Told of each statement that the database had trouble with. */
  onTrouble?: ((trouble: Trouble) => void) | undefined;
}

/**
 * A connection that prepares the statements that ask for it, and breaks when PostgreSQL is silent for longer than it may
 * be: a frozen server ends no statement by itself. The pool replaces a broken connection.
 */
export class Client extends SessionClient {
  readonly #onTrouble: ClientOptions['onTrouble'];

  constructor(options: ClientOptions = {}) {
    super(options);
    const { waits } = options;
    this.#onTrouble = options.onTrouble;
    const original = this.query;
    const query = (...args: unknown[]): unknown => Reflect.apply(original, this, args);
    const withName = createStatementNames();
    const run = (text: unknown, ...rest: unknown[]) => {
      const result = query(withName(waits && text === 'begin' ? beginWith(waits) : text), ...rest);
      return waits && result instanceof Promise ? this.#watch(result, text, waits) : result;
    };
    // pg declares many forms of this method; only the first argument is looked at, and all forms pass through.
    Object.assign(this, { query: run });
  }

  async #watch(result: Promise<unknown>, text: unknown, waits: Waits) {
    const isAlone = this.getTransactionStatus() === 'I' && text !== 'begin';
    const ms = waits.silenceMs + (isAlone ? waits.readMs : waits.transactionMs);
    const mayHaveWritten = text === 'commit' || (isAlone && writes(text));
    const timer = setTimeout(() => this.#breakOff(ms, mayHaveWritten), ms);
    try {
      return await result;
    } catch (cause) {
      const trouble = troubleOf(cause);
      if (trouble) this.#onTrouble?.(trouble);
      if (!isLost(cause)) throw cause;
      const Lost = mayHaveWritten ? UnansweredWriteError : DatabaseAwayError;
      throw new Lost(`the connection to PostgreSQL broke: ${reasonOf(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whoever waits for this connection gets the error: one that says to try again, unless that could do a write twice. */
  #breakOff(ms: number, mayHaveWritten: boolean) {
    const message = `PostgreSQL has not answered for ${ms} ms`;
    this.connection.stream.destroy(new (mayHaveWritten ? UnansweredWriteError : DatabaseBusyError)(message));
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Whether a statement by itself may change something, in whichever part; within a transaction none does before the commit. */
const writes = (text: unknown) => /\b(insert into|update|delete from)\b/i.test(textOf(text));

const textOf = (query: unknown) =>
  typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query);

/** One round trip: the transaction, and its longer time for a statement. */
const beginWith = ({ transactionMs }: Waits) => `begin; set local statement_timeout = ${transactionMs}`;

/** Gives a statement that asks to be prepared a name of its own; others come back as they are. */
function createStatementNames() {
  const names = new Map<string, string>();
  return (text: unknown) => {
    if (typeof text !== 'string' || !text.slice(0, 2 * mark.length).includes(mark)) return text;
    const name = names.get(text) ?? createHash('sha1').update(text).digest('hex');
    names.set(text, name);
    return { name, text };
  };
}

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
