import pg from 'pg';

/** Kind of a database error after which nothing was written and a retry may succeed. */
export type DatabaseErrorKind =
  /** Database without time or resources for the statement. */
  | 'busy'
  /** Unreachable database, or a connection that it closed. */
  | 'away'
  /** Read-only database: a standby, or a server that was set to read-only. */
  | 'read_only'
  /** Full disk. */
  | 'full';

// MikroORM converts errors into its own ones. These contain the properties of the original error, but have another class.
// Therefore each error states what it means in a property.

/** Error of work that found no connection in time, or got no answer in time. It can be repeated. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
  readonly meaning = 'busy';
}

/** Error of a database that is unreachable, or of a connection that broke before anything was written. */
export class DatabaseUnavailableError extends Error {
  override name = 'DatabaseUnavailableError';
  readonly meaning = 'away';
}

/** Error of a write whose connection broke: it may have been executed. */
export class UnansweredWriteError extends Error {
  override name = 'UnansweredWriteError';
  readonly meaning = 'unanswered';
}

const byState: Readonly<Record<string, DatabaseErrorKind>> = {
  // Time limit of the statement or of its wait for a lock.
  '57014': 'busy',
  '55P03': 'busy',
  // Transaction that paused too long, because this process did. PostgreSQL rolled it back.
  '25P03': 'busy',
  // Serialization conflict or deadlock with another transaction.
  '40001': 'busy',
  '40P01': 'busy',
  '53100': 'full',
  '25006': 'read_only',
};

/**
 * Kinds by the first characters of an error code: connection errors, missing resources, and a server that stops, starts
 * or ended the session.
 */
const byClass: readonly [string, DatabaseErrorKind][] = [
  ['08', 'away'],
  ['53', 'busy'],
  ['57P', 'away'],
];

/** Messages of pg for a connection that took too long. These errors have no code. */
const busyMessages = new Set([
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'timeout expired',
]);

/** Returns the kind of a database error. Null if a retry would not help, or if the statement may have been executed. */
export function classifyDatabaseError(error: unknown): DatabaseErrorKind | null {
  if (!(error instanceof Error)) return null;
  const meaning = 'meaning' in error ? error.meaning : null;
  if (meaning === 'unanswered') return null;
  if (meaning === 'busy' || busyMessages.has(error.message)) return 'busy';
  const state = stateOf(error);
  const known = byState[state] ?? byClass.find(([begin]) => state.startsWith(begin))?.[1];
  return known ?? classifyDatabaseError(error.cause) ?? (meaning === 'away' ? 'away' : null);
}

/** True if the database refused a write because it is read-only or its disk is full. */
export function refusesWrites(error: unknown): boolean {
  const errorKind = classifyDatabaseError(error);
  return errorKind === 'read_only' || errorKind === 'full';
}

/** True if a transaction was rolled back because of another one, so that it can be repeated immediately. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && (['40001', '40P01'].includes(stateOf(error)) || isConflict(error.cause));

/** True if a statement failed because a row with a unique value exists. */
export const isDuplicate = (error: unknown): boolean => error instanceof Error && stateOf(error) === '23505';

/** True if a statement failed without PostgreSQL's answer, so that it may have been executed. */
export const isUnanswered = (error: unknown) =>
  !(error instanceof pg.DatabaseError) || error.code === undefined || error.code.startsWith('57P');

/** Messages of pg for a statement that it did not send, because the connection had broken before. These errors have no code. */
const unsentMessage = /^(Client has encountered a connection error|Client was closed)/;

/** Error codes of the operating system for a broken connection. */
const lostCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/** True if a statement failed because its connection broke before PostgreSQL read the statement. */
export const isUnread = (error: unknown) =>
  error instanceof Error && (unsentMessage.test(error.message) || stateOf(error) === '25P03');

/** True if a statement failed because its connection broke. */
export const isLost = (error: unknown) =>
  isUnread(error) ||
  (error instanceof Error &&
    (error.message.startsWith('Connection terminated') ||
      lostCodes.has(stateOf(error)) ||
      /^(08|57P)/.test(stateOf(error))));

/** Returns the error code of PostgreSQL or of the operating system; empty if there is none. */
const stateOf = (error: Error) => ('code' in error && typeof error.code === 'string' ? error.code : '');
