/** Maximum times to wait for the database, in milliseconds. */
export interface Waits {
  /** Wait for a connection: a free one of the pool, or a new one. */
  connectionMs: number;
  /** Wait for a lock that another transaction holds. */
  lockMs: number;
  /** Duration of a statement outside a transaction: a read, or a write of one statement. */
  readMs: number;
  /** Duration of each statement of a transaction. */
  transactionMs: number;
  /**
   * Pause of a transaction after which PostgreSQL ends it. A process may stop in the middle of one (SIGSTOP, a frozen
   * machine) and block others.
   */
  pauseMs: number;
  /**
   * Time that PostgreSQL gets to report that one of these limits passed. After it the server counts as frozen, and the
   * connection is broken.
   */
  silenceMs: number;
}

/** Limits of a server: a client waits for the answer, and other requests wait for the connection. */
export const serverWaits: Waits = {
  connectionMs: 3_000,
  lockMs: 3_000,
  readMs: 5_000,
  // Together with `silenceMs`, a request waits less than ten seconds.
  transactionMs: 8_000,
  pauseMs: 5_000,
  silenceMs: 1_000,
};

/** Limits of a worker: no client waits, and an aborted statement has to be repeated. */
export const workerWaits: Waits = {
  connectionMs: 10_000,
  lockMs: 30_000,
  readMs: 300_000,
  transactionMs: 900_000,
  pauseMs: 5_000,
  silenceMs: 10_000,
};
