/** `pnpm ops`: operator commands. */
import { join } from 'node:path';
import { useCompileCache } from '../shared/runtime/compile-cache.ts';

useCompileCache();
const { bundled } = await import('../shared/runtime/load-bundle.ts');
const { runProgram } = await bundled('server/cli/index.ts', () => import('./cli/index.ts'));

await runProgram(join(import.meta.dirname, '..', '.data'));
