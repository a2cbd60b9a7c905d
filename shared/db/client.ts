import pg from 'pg';
import { createStatementNames } from './prepared-statement.ts';
import { DatabaseBusyError, type Waits } from './waits.ts';

export interface ClientOptions extends pg.ClientConfig {
  /** As long as it takes when left out. */
  waits?: Waits | undefined;
}

/**
 * A connection that prepares the statements that ask for it, and breaks when PostgreSQL is silent for longer than it may
 * be: a frozen server ends no statement by itself. The pool replaces a broken connection.
 */
export class Client extends pg.Client {
  constructor(options: ClientOptions = {}) {
    super(options);
    const { waits } = options;
    const query = this.query.bind(this) as (text: unknown, ...rest: unknown[]) => unknown;
    const withName = createStatementNames();
    const run = (text: unknown, ...rest: unknown[]) => {
      const result = query(withName(waits && text === 'begin' ? beginWith(waits) : text), ...rest);
      return waits && result instanceof Promise ? this.#watch(result, text, waits) : result;
    };
    // pg declares many forms of this method; only the first argument is looked at, and all forms pass through.
    this.query = run as typeof this.query;
  }

  async #watch(result: Promise<unknown>, text: unknown, waits: Waits) {
    const isRead = this.getTransactionStatus() === 'I' && text !== 'begin';
    const ms = waits.silenceMs + (isRead ? waits.readMs : waits.transactionMs);
    const timer = setTimeout(() => this.#breakOff(text, ms), ms);
    try {
      return await result;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whoever waits for a statement of this connection gets the error. */
  #breakOff(text: unknown, ms: number) {
    const message = `PostgreSQL has not answered for ${ms} ms`;
    // A commit may have happened all the same: to ask for the write again would risk doing it twice.
    const error = text === 'commit' ? new Error(message) : new DatabaseBusyError(message);
    this.connection.stream.destroy(error);
  }
}

/** One round trip: the transaction, and its longer time for a statement. */
const beginWith = ({ transactionMs }: Waits) => `begin; set local statement_timeout = ${transactionMs}`;
