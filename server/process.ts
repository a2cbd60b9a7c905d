/** One of several server processes on one port, started by `main.ts` or `start.ts` and told by them when to end. */
import { bundled } from '../shared/process/bundled.ts';
import { giveBackMemory } from '../shared/process/give-back-memory.ts';
import { applyMemorySettings } from '../shared/process/memory-settings.ts';

applyMemorySettings();
giveBackMemory();
const { runOneOfSeveral } = await bundled(
  'server/start/one-of-several.ts',
  () => import('./start/one-of-several.ts'),
);
await runOneOfSeveral();
