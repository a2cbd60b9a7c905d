/** `pnpm start`: everything on one machine, with nothing to prepare. */
import { join } from 'node:path';
import { useCompileCache } from '../shared/runtime/compile-cache.ts';
import { exitWhenStopped } from '../shared/runtime/run-until-stopped.ts';

useCompileCache();
exitWhenStopped();
const { bundled } = await import('../shared/runtime/load-bundle.ts');
const { runEverything } = await bundled('server/start/start-all.ts', () => import('./start/start-all.ts'));

const checkout = join(import.meta.dirname, '..');

await runEverything({
  dataDir: join(checkout, '.data'),
  workerMain: join(checkout, 'worker', 'main.ts'),
  studioBuilder: join(checkout, 'client', 'studio', 'build', 'build.ts'),
});
