/** `pnpm ops`: operator commands. */
import { join } from 'node:path';
import { useCompileCache } from '../shared/process/compile-cache.ts';

useCompileCache();
const { bundled } = await import('../shared/process/bundled.ts');
const { runProgram } = await bundled('server/cli/program.ts', () => import('./cli/program.ts'));

await runProgram(join(import.meta.dirname, '..', '.data'));
