/**
 * Entry of the worker process for production. It needs the PostgreSQL of DATABASE_URL, migrated by `pnpm ops migrate`.
 */
import { useCompileCache } from '../shared/runtime/compile-cache.ts';
import { exitWhenStopped } from '../shared/runtime/run-until-stopped.ts';

useCompileCache();
exitWhenStopped();
const { bundled } = await import('../shared/runtime/load-bundle.ts');
const { runWorker } = await bundled('worker/run-worker.ts', () => import('./run-worker.ts'));
await runWorker();
