/** The worker alone, for production: over the PostgreSQL of DATABASE_URL, migrated before by `pnpm ops migrate`. */
import { bundled } from '../shared/process/bundled.ts';
import { applyMemorySettings } from '../shared/process/memory-settings.ts';
import { exitWhenStopped } from '../shared/process/run-until-stopped.ts';

applyMemorySettings();
exitWhenStopped();
const { runWorker } = await bundled('worker/worker-alone.ts', () => import('./worker-alone.ts'));
await runWorker();
