/** The worker alone, for production: over the PostgreSQL of DATABASE_URL, migrated before by `pnpm ops migrate`. */
import { applyMemorySettings } from '../shared/process/memory-settings.ts';

applyMemorySettings();
const { runWorker } = await import('./worker-alone.ts');
await runWorker();
