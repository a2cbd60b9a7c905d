import { join } from 'node:path';
import { z } from 'zod';
import { runApart } from '../run-apart.ts';

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

/** Makes copies of an image as WebP. It is decoded apart, since a decoder is what hostile images attack; throws as `runApart` does. */
export async function resize(
  { input, folder, widths }: Copies,
  stopping: AbortSignal,
): Promise<z.infer<typeof Made>> {
  const args = [input, folder, ...widths.map(String)];
  const env = { VIPS_BLOCK_UNTRUSTED: '1' };
  return Made.parse(JSON.parse(await runApart(program, { args, env, longestMs, stopping })));
}
