/** `pnpm ops`: operator commands. */
import { join } from 'node:path';
import { applyLateSettings, applyMemorySettings } from '../shared/process/memory-settings.ts';

applyMemorySettings();
// Not before: where the process begins again in place, it would be loaded twice.
const { bundled } = await import('../shared/process/bundled.ts');
const { runProgram } = await bundled('server/cli/program.ts', () => import('./cli/program.ts'));
applyLateSettings();

await runProgram(join(import.meta.dirname, '..', '.data'));
