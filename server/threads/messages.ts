import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { Job } from '../api/thread-pool.ts';

/** Message to a thread: start a job, or produce the next item of a job that yields several. */
export type Request = { kind: 'do'; name: string; input: unknown } | { kind: 'next' };

/**
 * Message from a thread: its code is loaded; a job began, with the thread's CPU time in microseconds; or a job's
 * outcome.
 */
export type Reply =
  | { kind: 'ready' }
  | { kind: 'begun'; cpu: number }
  | { kind: 'done'; output: unknown }
  | { kind: 'refused'; code: ErrorCode; message: string }
  | { kind: 'failed'; error: unknown };

export type JobHandler = readonly [name: string, work: (input: unknown) => unknown];

/** Pairs a job with its handler, which has the types of the job. */
export const handles = <Input, Output>(
  { name }: Job<Input, Output>,
  work: (input: Input) => Output | Promise<Output>,
): JobHandler => [
  name,
  // `ThreadPool` requires that callers pass the input type of the job.
  work as JobHandler[1],
];
