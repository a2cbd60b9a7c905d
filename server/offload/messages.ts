import type { ErrorCode } from '../../shared/contract/errors.ts';

/** What a thread is asked to do. */
export interface Request {
  name: string;
  input: unknown;
}

/** What a thread says of it: that it begins, at which CPU time of its own in microseconds, and how it ended. */
export type Reply =
  | { kind: 'begun'; cpu: number }
  | { kind: 'done'; output: unknown }
  | { kind: 'refused'; code: ErrorCode; message: string }
  | { kind: 'failed'; error: unknown };
