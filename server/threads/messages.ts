import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { Job } from '../api/offload.ts';

/** What a thread is asked: to do something, or for the next of what it gives one after the other. */
export type Request = { kind: 'do'; name: string; input: unknown } | { kind: 'next' };

/**
 * What a thread says: that it has loaded what it needs; of a job that it begins, at which CPU time of its own in
 * microseconds, and how it ended.
 */
export type Reply =
  | { kind: 'ready' }
  | { kind: 'begun'; cpu: number }
  | { kind: 'done'; output: unknown }
  | { kind: 'refused'; code: ErrorCode; message: string }
  | { kind: 'failed'; error: unknown };

export type JobHandler = readonly [name: string, work: (input: unknown) => unknown];

export const handles = <Input, Output>(
  { name }: Job<Input, Output>,
  work: (input: Input) => Output | Promise<Output>,
): JobHandler => [
  name,
  // Whoever asks for the job gives what its types say.
  work as JobHandler[1],
];
