/** The server alone, for production: over the PostgreSQL of DATABASE_URL, migrated before by `pnpm ops migrate`. */
import { useCompileCache } from '../shared/runtime/compile-cache.ts';
import { exitWhenStopped } from '../shared/runtime/run-until-stopped.ts';

useCompileCache();
exitWhenStopped();
const { bundled } = await import('../shared/runtime/load-bundle.ts');
const { runServer } = await bundled('server/start/run-server.ts', () => import('./start/run-server.ts'));
await runServer();
