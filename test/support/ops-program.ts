/** `pnpm ops` over the places that a test chose. */
import { createProgram } from '../../server/cli/program.ts';

await createProgram(process.env.DATA_DIR ?? '')
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
