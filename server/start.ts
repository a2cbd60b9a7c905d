/** `pnpm start`: everything on one machine, with nothing to prepare. */
import { join } from 'node:path';
import { giveBackMemory } from '../shared/process/give-back-memory.ts';
import { applyMemorySettings } from '../shared/process/memory-settings.ts';
import { exitWhenStopped } from '../shared/process/run-until-stopped.ts';

applyMemorySettings();
giveBackMemory();
exitWhenStopped();
// Not before: where the process begins again in place, it would be loaded twice.
const { bundled } = await import('../shared/process/bundled.ts');
const { runEverything } = await bundled('server/start/start-all.ts', () => import('./start/start-all.ts'));

const checkout = join(import.meta.dirname, '..');

await runEverything({
  dataDir: join(checkout, '.data'),
  workerMain: join(checkout, 'worker', 'main.ts'),
  studioBuilder: join(checkout, 'client', 'studio', 'build', 'build.ts'),
  bundler: join(checkout, 'server', 'start', 'bundle.ts'),
});
