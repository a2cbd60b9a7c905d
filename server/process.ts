/** One of several server processes on one port, started by `main.ts` or `start.ts` and told by them when to end. */

import { useCompileCache } from '../shared/runtime/compile-cache.ts';
import { bundled } from '../shared/runtime/load-bundle.ts';

useCompileCache();
const { runClusterProcess } = await bundled(
  'server/start/cluster-process.ts',
  () => import('./start/cluster-process.ts'),
);
await runClusterProcess();
