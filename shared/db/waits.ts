/** How long a process waits for the database before it gives up. */
export interface Waits {
  /** For a connection: a free one of the pool, or a new one. */
  connectionMs: number;
  /** For a lock that another transaction holds. */
  lockMs: number;
  /** For a statement outside a transaction: one that reads, or a write of one statement. */
  readMs: number;
  /** For each statement of a transaction. */
  transactionMs: number;
  /** For PostgreSQL to say that one of these is over: after that it is taken for frozen, and the connection broken. */
  silenceMs: number;
}

/** Of a server: somebody waits for the answer, and others wait for the connection. */
export const serverWaits: Waits = {
  connectionMs: 3_000,
  lockMs: 3_000,
  readMs: 5_000,
  // With the silence, no request waits for longer than ten seconds.
  transactionMs: 8_000,
  silenceMs: 1_000,
};

/** Of a worker: nobody waits, and what is given up has to be begun again. */
export const workerWaits: Waits = {
  connectionMs: 10_000,
  lockMs: 30_000,
  readMs: 300_000,
  transactionMs: 900_000,
  silenceMs: 10_000,
};
