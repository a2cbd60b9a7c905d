import pg from 'pg';
import { schemasOf } from './schema.ts';
import { DatabaseAwayError, troubleOf } from './troubles.ts';

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

  constructor(options: SessionOptions = {}) {
    super(options);
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
      await super.connect();
      await this.query(this.#statement);
    } catch (cause) {
      // Nobody gets this connection, so nobody would end it.
      this.end().catch(ignore);
      if (troubleOf(cause)) throw cause;
      throw new DatabaseAwayError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
    this.off('error', ignore);
    return this;
  }
}

const written = (value: SessionSettings[string]) =>
  [value]
    .flat()
    .map((part) => pg.escapeLiteral(`${part}`))
    .join(', ');

/** A pool of such connections. */
export const openPool = (options: pg.PoolConfig & SessionOptions) =>
  new pg.Pool({ ...options, Client: SessionClient });
