import pg from 'pg';

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
  transactionMs: 10_000,
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

/** The database did not answer in time, and what it was asked can be asked again. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
}

/** Whether a statement failed without PostgreSQL saying so of it, so that it may have been carried out. */
export const isUnanswered = (error: unknown) =>
  !(error instanceof pg.DatabaseError) || error.code === undefined || error.code.startsWith('57P');

/** PostgreSQL ended a statement after its time, or its wait for a lock. */
const busyStates = new Set<unknown>(['57014', '55P03']);

/** What pg says when a connection took too long; it gives these errors no code. */
const busyMessages = new Set([
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'timeout expired',
]);

/** Whether something failed only because the database had no time for it: the same may pass a moment later. */
export function isDatabaseBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseBusyError || busyMessages.has(error.message)) return true;
  if ('code' in error && busyStates.has(error.code)) return true;
  return isDatabaseBusy(error.cause);
}
