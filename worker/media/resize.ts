import { type ExecFileException, execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { UndecodableError, undecodableExit } from './undecodable.ts';

const program = join(import.meta.dirname, 'resize-process.ts');

/** A large image takes a few seconds. */
const longestMs = 60_000;

const Made = z.array(z.object({ width: z.int(), path: z.string() }));

interface Copies {
  /** The image's file. */
  input: string;
  /** Where its copies are put. */
  folder: string;
  widths: readonly number[];
}

/**
 * Makes copies of an image as WebP. A process of its own decodes it: what an image does to a decoder, or to memory, ends
 * with that process. Throws `UndecodableError` for what is the image's own fault, and else what the machine fails with; and when it
 * is told to stop.
 */
export async function resize(
  { input, folder, widths }: Copies,
  stopping: AbortSignal,
): Promise<z.infer<typeof Made>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, input, folder, ...widths.map(String)],
    // It gets nothing of this process's environment, where secrets are.
    { timeout: longestMs, killSignal: 'SIGKILL', signal: stopping, env: { VIPS_BLOCK_UNTRUSTED: '1' } },
  ).catch((cause: ExecFileException) => {
    // A signal came from the decoder, or ended one that took too long, or all memory.
    const isItsFault = cause.code === undecodableExit || cause.signal;
    throw isItsFault && !stopping.aborted ? new UndecodableError(cause.message, { cause }) : cause;
  });
  return Made.parse(JSON.parse(stdout));
}
