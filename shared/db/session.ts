import pg from 'pg';
import { classifyDatabaseError, DatabaseUnavailableError } from './database-errors.ts';
import { serverWaits, type Waits } from './database-timeouts.ts';
import { schemasOf } from './schema.ts';
import { serversOf, timelineSql } from './servers.ts';

/** Settings of PostgreSQL for one connection. A list is a list of names. */
export type SessionSettings = Readonly<Record<string, string | number | readonly string[]>>;

/**
 * Settings of every connection, whatever the server, the database or the role has as defaults. Time limits are off
 * unless the connection sets them.
 */
const always: SessionSettings = {
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: 1,
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  default_text_search_config: 'pg_catalog.simple',
  gin_fuzzy_search_limit: 0,
  // Some warnings matter, such as the one about a commit that no longer waits for its standby.
  client_min_messages: 'warning',
  // Each statement of a transaction sees everything committed before it, and waits for transactions that change the
  // same row.
  default_transaction_isolation: 'read committed',
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  idle_session_timeout: 0,
  plan_cache_mode: 'auto',
  // `enable_seqscan = off` raises the estimated cost of queries that no index answers. Up to version 17, PostgreSQL
  // compiles expensive queries, which takes a hundred times as long as the statement.
  jit: 'off',
};

/** Returns settings for a connection with these time limits. With `byIndex`, PostgreSQL prefers indexes. */
export const settingsOf = ({
  waits,
  byIndex,
}: {
  waits?: Waits | undefined;
  byIndex?: boolean;
}): SessionSettings => ({
  idle_in_transaction_session_timeout: (waits ?? serverWaits).pauseMs,
  enable_seqscan: byIndex ? 'off' : 'on',
  ...(waits && { lock_timeout: waits.lockMs, statement_timeout: waits.readMs }),
});

/** SQL that turns off `transaction_timeout`. Versions before 17 reject the name. */
const endlessTransactions = `select set_config('transaction_timeout', '0', false)
  where current_setting('server_version_num')::integer >= 170000`;

export interface SessionOptions extends pg.ClientConfig {
  settings?: SessionSettings | undefined;
}

/**
 * Connection that counts as connected only after its settings are applied. They are sent as a statement, because
 * poolers reject settings among the parameters of a connection.
 */
export class SessionClient extends pg.Client {
  readonly #statement: string;
  readonly #servers: ReturnType<typeof serversOf>;

  constructor(options: SessionOptions = {}) {
    super(options);
    this.#servers = serversOf(options.connectionString);
    this.#leaveReadOnly();
    this.#leaveEnded();
    this.#promiseAnswers();
    const { tables, jobs } = schemasOf(options.connectionString);
    const settings = { ...always, search_path: [tables, jobs], ...options.settings };
    const statements = Object.entries(settings).map(([name, value]) => `set ${name} = ${written(value)}`);
    this.#statement = [...statements, endlessTransactions].join('; ');
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | undefined {
    const connected = this.#connect();
    if (!callback) return connected;
    connected.then(() => callback(null), callback);
    return undefined;
  }

  async #connect(): Promise<this> {
    // The caller adds an error listener only after it receives the connection. An error before that fails the
    // statement.
    const ignore = () => {};
    this.on('error', ignore);
    try {
      Object.assign(this, await this.#servers?.find());
      // The caller may have given up while `find` was running. It closed the connection then.
      if (this.connection.stream.destroyed) throw new Error('timeout expired');
      await super.connect();
      if (!this.#servers) await this.query(this.#statement);
      else this.#servers.keep(this, await this.#setAndAsk());
    } catch (cause) {
      // No caller receives this connection, so it is closed here.
      this.end().catch(ignore);
      if (classifyDatabaseError(cause)) throw cause;
      throw new DatabaseUnavailableError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
    this.off('error', ignore);
    return this;
  }

  /** Applies the settings and returns the timeline of the server. */
  async #setAndAsk(): Promise<number> {
    // pg answers several statements with a list, which its types do not declare.
    const answers: unknown = await this.query(`${this.#statement}; ${timelineSql}`);
    const last = Array.isArray(answers) ? (answers.at(-1) as pg.QueryResult<{ timeline: number }>) : null;
    return last?.rows[0]?.timeline ?? 0;
  }

  /**
   * Replaces the promises that pg creates. V8 keeps each of their results until its next full garbage collection, which
   * was a quarter of the cost of a read (see `test/cost/answers.test.ts`). pg declares many overloads, and all pass
   * through.
   */
  #promiseAnswers() {
    const sendQuery = this.query;
    const query = (...args: unknown[]) => {
      const [statement, values, callback] = args;
      if (isFunction(values) || isFunction(callback) || answersItself(statement))
        return Reflect.apply(sendQuery, this, args);
      return new Promise((resolve, reject) => {
        const told = (error: unknown, answer: unknown) => (error ? reject(error) : resolve(answer));
        Reflect.apply(sendQuery, this, [statement, values, told]);
      });
    };
    Object.assign(this, { query });
  }

  /**
   * Closes the connection after a write was refused because the server is read-only. The server may have been replaced,
   * and the next connection finds the primary.
   */
  #leaveReadOnly() {
    let isRefused = false;
    const leave = () => this.#leave();
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      isRefused ||= code === '25006';
      // The microtask runs before the caller returns the connection to its pool, and after pg has handled the error.
      if (isRefused && this.getTransactionStatus() === 'I') queueMicrotask(leave);
    });
    this.connection.on('readyForQuery', ({ status }: { status?: string }) => {
      if (isRefused && status === 'I') leave();
    });
  }

  /**
   * Closes the connection as soon as PostgreSQL reports that it ended the session. The connection itself ends a little
   * later, and its pool would give it to another caller in between.
   */
  #leaveEnded() {
    this.connection.on('errorMessage', ({ code = '' }: { code?: string }) => {
      if (sessionEnd.test(code)) queueMicrotask(() => this.#leave());
    });
  }

  #leave() {
    this.end().catch(() => {});
  }
}

/** Error codes with which PostgreSQL ends a session. */
const sessionEnd = /^(57P|25P0[34])/;

const isFunction = (value: unknown) => typeof value === 'function';

/** True for a query that delivers its results itself, such as a `copy` stream or a query with a callback. */
const answersItself = (statement: unknown) =>
  typeof statement === 'object' && statement !== null && ('submit' in statement || 'callback' in statement);

const written = (value: SessionSettings[string]) =>
  [value]
    .flat()
    .map((part) => pg.escapeLiteral(`${part}`))
    .join(', ');

/** Opens a connection pool whose connections have the settings of `SessionOptions`. */
export const openPool = (options: pg.PoolConfig & SessionOptions) =>
  new pg.Pool({ ...options, Client: SessionClient });
