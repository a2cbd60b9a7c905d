import { join } from 'node:path';
import { z } from 'zod';
import type { MailBodies } from '../../shared/newsletter/bodies.ts';
import { runApart } from '../run-apart.ts';
import type { MailSource } from './lay-out-process.ts';

const program = join(import.meta.dirname, 'lay-out-process.ts');

/** Bodies that are made to be slow take a second or two. */
const longestLayOutMs = 20_000;

const Part = z.object({ html: z.string(), text: z.string() });

const Bodies: z.ZodType<MailBodies> = z.object({ open: Part, closed: Part, tooLarge: z.boolean() });

/** The bodies of a mail, which are made apart. Throws as `runApart` does: what can't be laid out is never mailed as it was written. */
export async function layOut(source: MailSource, longestMs = longestLayOutMs): Promise<MailBodies> {
  const nodeOptions = ['--max-old-space-size=128'];
  const printed = await runApart(program, { input: JSON.stringify(source), nodeOptions, longestMs });
  return Bodies.parse(JSON.parse(printed));
}
