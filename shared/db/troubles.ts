import pg from 'pg';

/** Why the database did not do what it was asked to, and left nothing of it, where the same may pass later. */
export type Trouble =
  /** It had no time or no room for it among all else. */
  | 'busy'
  /** It can't be reached, or ended the connection. */
  | 'away'
  /** It takes no writes: a standby, or one that was switched to reading. */
  | 'read_only'
  /** Its disk is full. */
  | 'full';

/** The database did not answer in time, and what it was asked can be asked again. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
}

/** The database can't be reached, or the connection broke before anything was kept. */
export class DatabaseAwayError extends Error {
  override name = 'DatabaseAwayError';
}

/** The connection broke over a write that may have been carried out. */
export class UnansweredWriteError extends Error {
  override name = 'UnansweredWriteError';
}

const byState: Readonly<Record<string, Trouble>> = {
  // Its time was over, or its wait for a lock.
  '57014': 'busy',
  '55P03': 'busy',
  // It clashed with another transaction.
  '40001': 'busy',
  '40P01': 'busy',
  '53100': 'full',
  '25006': 'read_only',
};

/** By the first characters of a state: connections, resources, and a server that is stopped, starts or ended the session. */
const byClass: readonly [string, Trouble][] = [
  ['08', 'away'],
  ['53', 'busy'],
  ['57P', 'away'],
];

/** What pg says when a connection took too long; it gives these errors no code. */
const busyMessages = new Set([
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'timeout expired',
]);

/** What became of an error of the database; null for those that asking again doesn't mend, and of what may have been done. */
export function troubleOf(error: unknown): Trouble | null {
  if (!(error instanceof Error) || error instanceof UnansweredWriteError) return null;
  if (error instanceof DatabaseBusyError || busyMessages.has(error.message)) return 'busy';
  const state = stateOf(error);
  const known = byState[state] ?? byClass.find(([begin]) => state.startsWith(begin))?.[1];
  return known ?? troubleOf(error.cause) ?? (error instanceof DatabaseAwayError ? 'away' : null);
}

/** Whether the database refused something since it takes no writes, or has no room for them. */
export function refusesWrites(error: unknown): boolean {
  const trouble = troubleOf(error);
  return trouble === 'read_only' || trouble === 'full';
}

/** Whether two transactions clashed, so that one of them was undone and can be done anew at once. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && (['40001', '40P01'].includes(stateOf(error)) || isConflict(error.cause));

/** Whether a statement failed without PostgreSQL saying so of it, so that it may have been carried out. */
export const isUnanswered = (error: unknown) =>
  !(error instanceof pg.DatabaseError) || error.code === undefined || error.code.startsWith('57P');

/** What pg says of a statement whose connection broke, or was broken before; it gives these errors no code. */
const lostMessage = /^(Connection terminated|Client has encountered a connection error|Client was closed)/;

/** What the system says of a connection. */
const lostCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether a statement failed since its connection did. */
export const isLost = (error: unknown) =>
  error instanceof Error &&
  (lostMessage.test(error.message) || lostCodes.has(stateOf(error)) || /^(08|57P)/.test(stateOf(error)));

/** The state that PostgreSQL gives an error, or the code that the system does. */
const stateOf = (error: Error) => ('code' in error && typeof error.code === 'string' ? error.code : '');
