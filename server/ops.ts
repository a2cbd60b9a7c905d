/** `pnpm ops`: operator commands. */
import { join } from 'node:path';
import { createProgram } from './cli/program.ts';

const dataDir = join(import.meta.dirname, '..', '.data');

await createProgram(dataDir)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
