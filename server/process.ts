/** Entry of one of several server processes on one port. `main.ts` or `start.ts` starts and stops it. */

import { useCompileCache } from '../shared/runtime/compile-cache.ts';
import { bundled } from '../shared/runtime/load-bundle.ts';

useCompileCache();
const { runClusterProcess } = await bundled(
  'server/start/cluster-process.ts',
  () => import('./start/cluster-process.ts'),
);
await runClusterProcess();
