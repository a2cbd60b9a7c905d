/** `pnpm ops`: operator commands. */
import { join } from 'node:path';
import { applyLateSettings, applyMemorySettings } from '../shared/process/memory-settings.ts';

applyMemorySettings();
// Not before: where the process begins again in place, it would be loaded twice.
const { bundled } = await import('../shared/process/bundled.ts');
const { createProgram } = await bundled('server/cli/program.ts', () => import('./cli/program.ts'));
applyLateSettings();

const dataDir = join(import.meta.dirname, '..', '.data');

await createProgram(dataDir)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
