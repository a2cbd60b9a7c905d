import pg from 'pg';

/** Settings of PostgreSQL for all that is done on one connection. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/**
 * Of every connection. Not to find rows by an index is made to look dear where indexes are asked for, and PostgreSQL up to 17
 * compiles whatever looks dear, which takes a hundred times as long as the statement.
 */
const always: SessionSettings = { jit: 'off' };

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
    this.#statement = Object.entries({ ...always, ...options.settings })
      .map(([name, value]) => `set ${name} = ${pg.escapeLiteral(`${value}`)}`)
      .join('; ');
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
    } catch (error) {
      // Nobody gets this connection, so nobody would end it.
      this.end().catch(ignore);
      throw error;
    }
    this.off('error', ignore);
    return this;
  }
}

/** A pool of such connections. */
export const openPool = (options: pg.PoolConfig & SessionOptions) =>
  new pg.Pool({ ...options, Client: SessionClient });
