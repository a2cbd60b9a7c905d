import { type ExecFileException, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { omitUndefined } from '../shared/contract/names-of.ts';

/** By what a process says that what it was given is at fault (EX_DATAERR). */
export const faultyInputExit = 65;

/** What a process was given takes more time or memory than anything should, or can't be read. */
export class FaultyInputError extends Error {
  override name = 'FaultyInputError';
}

interface RunApartOptions {
  args?: readonly string[];
  /** What it reads from the standard input. */
  input?: string;
  nodeOptions?: readonly string[];
  env?: Record<string, string>;
  longestMs: number;
  stopping?: AbortSignal;
}

const mostPrintedBytes = 16_000_000;

/**
 * What a program prints in a process of its own, so that what its input does to time or memory ends with that process. It gets
 * nothing of this process's environment, where secrets are, but the cache of compiled code. Throws `FaultyInputError` for what is the input's fault, and else
 * what the machine fails with; and when it is told to stop.
 */
export async function runApart(
  program: string,
  {
    args = [],
    input = '',
    nodeOptions = [],
    env = {},
    longestMs: timeout,
    stopping: signal,
  }: RunApartOptions,
): Promise<string> {
  const running = promisify(execFile)(process.execPath, [...nodeOptions, program, ...args], {
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: mostPrintedBytes,
    env: omitUndefined({ NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env }),
    ...(signal && { signal }),
  });
  // It may end before it has read all.
  running.child.stdin?.on('error', () => {}).end(input);
  const { stdout } = await running.catch((cause: ExecFileException) => {
    // A signal came from what it met in the input, or ended one that took too long, or all memory.
    const isItsFault = cause.code === faultyInputExit || cause.signal;
    throw isItsFault && !signal?.aborted ? new FaultyInputError(cause.message, { cause }) : cause;
  });
  return stdout;
}
