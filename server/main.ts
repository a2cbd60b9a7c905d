/** The server alone, for production: over the PostgreSQL of DATABASE_URL, migrated before by `pnpm ops migrate`. */
import { giveBackMemory } from '../shared/process/give-back-memory.ts';
import { applyMemorySettings } from '../shared/process/memory-settings.ts';
import { exitWhenStopped } from '../shared/process/run-until-stopped.ts';

applyMemorySettings();
giveBackMemory();
exitWhenStopped();
// Not before: where the process begins again in place, it would be loaded twice.
const { bundled } = await import('../shared/process/bundled.ts');
const { runServer } = await bundled('server/start/server-alone.ts', () => import('./start/server-alone.ts'));
await runServer();
