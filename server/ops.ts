/** `pnpm ops`: operator commands. */
import { join } from 'node:path';
import { bundled } from '../shared/process/bundled.ts';
import { applyMemorySettings } from '../shared/process/memory-settings.ts';

applyMemorySettings();
const { createProgram } = await bundled('server/cli/program.ts', () => import('./cli/program.ts'));

const dataDir = join(import.meta.dirname, '..', '.data');

await createProgram(dataDir)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
