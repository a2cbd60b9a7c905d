import pg from 'pg';
import { schemasOf } from './schema.ts';
import { serversOf, timelineSql } from './servers.ts';
import { DatabaseAwayError, troubleOf } from './troubles.ts';
import type { Waits } from './waits.ts';

/** Settings of PostgreSQL for all that is done on one connection; a list is one of names. */
export type SessionSettings = Readonly<Record<string, string | number | readonly string[]>>;

/**
 * What every connection relies on, whatever the server, the database or the role is set to. Nothing waits and nothing ends
 * but as the connection itself says.
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
  // Warnings say what is not to be overheard, such as a commit that waited for its standby in vain.
  client_min_messages: 'warning',
  // Each statement of a transaction sees what was committed before it, and waits for who is about to change the same row.
  default_transaction_isolation: 'read committed',
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  idle_session_timeout: 0,
  plan_cache_mode: 'auto',
  // Not to find rows by an index is made to look dear where indexes are asked for, and PostgreSQL up to 17 compiles whatever
  // looks dear, which takes a hundred times as long as the statement.
  jit: 'off',
};

/** A process that stops in the middle of a transaction (SIGSTOP, a frozen machine) holds up the others for this long. */
const pausedAfterMs = 5_000;

/** Of a connection that waits so long, and finds rows by an index where `byIndex` says so. */
export const settingsOf = ({
  waits,
  byIndex,
}: {
  waits?: Waits | undefined;
  byIndex?: boolean;
}): SessionSettings => ({
  idle_in_transaction_session_timeout: pausedAfterMs,
  enable_seqscan: byIndex ? 'off' : 'on',
  ...(waits && { lock_timeout: waits.lockMs, statement_timeout: waits.readMs }),
});

/** Since version 17; older ones refuse the name. */
const endlessTransactions = `select set_config('transaction_timeout', '0', false)
  where current_setting('server_version_num')::integer >= 170000`;

export interface SessionOptions extends pg.ClientConfig {
  settings?: SessionSettings | undefined;
}

/**
 * A connection that is not connected before its settings hold. It makes them once it is open, since poolers refuse whom
 * they are told of settings when a connection begins.
 */
export class SessionClient extends pg.Client {
  readonly #statement: string;
  readonly #servers: ReturnType<typeof serversOf>;

  constructor(options: SessionOptions = {}) {
    super(options);
    this.#servers = serversOf(options.connectionString);
    this.#leaveReadOnly();
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
    // Whoever asked for the connection listens to its errors only once it has it; what breaks before fails the statement.
    const ignore = () => {};
    this.on('error', ignore);
    try {
      Object.assign(this, await this.#servers?.find());
      // Whoever asked has given up meanwhile.
      if (this.connection.stream.destroyed) throw new Error('timeout expired');
      await super.connect();
      if (!this.#servers) await this.query(this.#statement);
      else this.#servers.keep(this, await this.#setAndAsk());
    } catch (cause) {
      // Nobody gets this connection, so nobody would end it.
      this.end().catch(ignore);
      if (troubleOf(cause)) throw cause;
      throw new DatabaseAwayError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
    this.off('error', ignore);
    return this;
  }

  /** Makes the settings, and tells the timeline. */
  async #setAndAsk(): Promise<number> {
    // Several statements in one are answered by a list, which the types of pg do not know.
    const answers: unknown = await this.query(`${this.#statement}; ${timelineSql}`);
    const last = Array.isArray(answers) ? (answers.at(-1) as pg.QueryResult<{ timeline: number }>) : null;
    return last?.rows[0]?.timeline ?? 0;
  }

  /**
   * The promise that pg makes itself has V8 keep each answer until it next looks through its whole heap, which was a quarter of what
   * a read from the database cost: see `test/cost/answers.test.ts`. pg declares many forms of the method, and all pass through.
   */
  #promiseAnswers() {
    const ask = this.query;
    const query = (...args: unknown[]) => {
      const [asked, values, callback] = args;
      if (isFunction(values) || isFunction(callback) || answersItself(asked))
        return Reflect.apply(ask, this, args);
      return new Promise((resolve, reject) => {
        const told = (error: unknown, answer: unknown) => (error ? reject(error) : resolve(answer));
        Reflect.apply(ask, this, [asked, values, told]);
      });
    };
    Object.assign(this, { query });
  }

  /** A server that refused a write since it takes none may have been replaced: the next write goes to who is there then. */
  #leaveReadOnly() {
    let isRefused = false;
    const leave = () => void this.end().catch(() => {});
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      isRefused ||= code === '25006';
      // Before whoever asked gives it back to a pool, and behind what pg does about the error.
      if (isRefused && this.getTransactionStatus() === 'I') queueMicrotask(leave);
    });
    this.connection.on('readyForQuery', ({ status }: { status?: string }) => {
      if (isRefused && status === 'I') leave();
    });
  }
}

const isFunction = (value: unknown) => typeof value === 'function';

/** Such as a stream of `copy`, or what brings its own callback. */
const answersItself = (asked: unknown) =>
  typeof asked === 'object' && asked !== null && ('submit' in asked || 'callback' in asked);

const written = (value: SessionSettings[string]) =>
  [value]
    .flat()
    .map((part) => pg.escapeLiteral(`${part}`))
    .join(', ');

/** A pool of such connections. */
export const openPool = (options: pg.PoolConfig & SessionOptions) =>
  new pg.Pool({ ...options, Client: SessionClient });
