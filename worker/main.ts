/** The worker alone, for production: over the PostgreSQL of DATABASE_URL, migrated before by `pnpm ops migrate`. */
import { applyMemorySettings } from '../shared/process/memory-settings.ts';
import { exitWhenStopped } from '../shared/process/run-until-stopped.ts';

applyMemorySettings();
exitWhenStopped();
// Not before: where the process begins again in place, it would be loaded twice.
const { bundled } = await import('../shared/process/bundled.ts');
const { runWorker } = await bundled('worker/worker-alone.ts', () => import('./worker-alone.ts'));
await runWorker();
