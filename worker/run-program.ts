import { type ExecFileException, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { omitUndefined } from '../shared/contract/names-of.ts';

/** Exit code of a program whose input is at fault (EX_DATAERR). */
export const faultyInputExit = 65;

/** Error for input that is unreadable, or takes too much time or memory. */
export class FaultyInputError extends Error {
  override name = 'FaultyInputError';
}

interface RunApartOptions {
  args?: readonly string[];
  /** Text for standard input. */
  input?: string;
  nodeOptions?: readonly string[];
  env?: Record<string, string>;
  maxMs: number;
  stopping?: AbortSignal;
}

const maxPrintedBytes = 16_000_000;

/**
 * Runs a program in a separate process and returns its standard output. Whatever hostile input does to time or memory ends
 * with that process. It receives no environment variables of this process, which contain secrets, except the compile cache.
 * Throws `FaultyInputError` if the input is at fault. Other failures, and a stop by `stopping`, throw the process's own
 * error.
 */
export async function runApart(
  program: string,
  { args = [], input = '', nodeOptions = [], env = {}, maxMs: timeout, stopping: signal }: RunApartOptions,
): Promise<string> {
  const running = promisify(execFile)(process.execPath, [...nodeOptions, program, ...args], {
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: maxPrintedBytes,
    env: omitUndefined({ NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env }),
    ...(signal && { signal }),
  });
  // The program may exit before it has read all input.
  running.child.stdin?.on('error', () => {}).end(input);
  const { stdout } = await running.catch((cause: ExecFileException) => {
    // A signal means that the input crashed the program, or that it exceeded its time or memory.
    const isItsFault = cause.code === faultyInputExit || cause.signal;
    throw isItsFault && !signal?.aborted ? new FaultyInputError(cause.message, { cause }) : cause;
  });
  return stdout;
}
