import { createStatementNames } from './prepared-statement.ts';
import { SessionClient, type SessionOptions } from './session.ts';
import { DatabaseBusyError, type Waits } from './waits.ts';

export interface ClientOptions extends SessionOptions {
  /** As long as it takes when left out. */
  waits?: Waits | undefined;
}

/**
 * A connection that prepares the statements that ask for it, and breaks when PostgreSQL is silent for longer than it may
 * be: a frozen server ends no statement by itself. The pool replaces a broken connection.
 */
export class Client extends SessionClient {
  constructor(options: ClientOptions = {}) {
    super(options);
    const { waits } = options;
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
    const timer = setTimeout(() => this.#breakOff(ms, text === 'commit' || (isAlone && writes(text))), ms);
    try {
      return await result;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whoever waits for this connection gets the error: one that says to try again, unless that could do a write twice. */
  #breakOff(ms: number, mayHaveWritten: boolean) {
    const message = `PostgreSQL has not answered for ${ms} ms`;
    this.connection.stream.destroy(mayHaveWritten ? new Error(message) : new DatabaseBusyError(message));
  }
}

/** Whether a statement by itself may change something, in whichever part; within a transaction none does before the commit. */
const writes = (text: unknown) => /\b(insert into|update|delete from)\b/i.test(textOf(text));

const textOf = (query: unknown) =>
  typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query);

/** One round trip: the transaction, and its longer time for a statement. */
const beginWith = ({ transactionMs }: Waits) => `begin; set local statement_timeout = ${transactionMs}`;
