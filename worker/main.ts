/**
 * Entry of the worker process for production. It needs the PostgreSQL of DATABASE_URL, migrated by `pnpm ops migrate`.
 */
import { useCompileCache } from '../shared/runtime/compile-cache.ts';
import { exitWhenStopped } from '../shared/runtime/run-until-stopped.ts';

useCompileCache();
exitWhenStopped();
const { bundled } = await import('../shared/runtime/bundled.ts');
const { runWorker } = await bundled('worker/worker-alone.ts', () => import('./worker-alone.ts'));
await runWorker();
