/** `pnpm start`: everything on one machine, with nothing to prepare. */
import { join } from 'node:path';
import { runEverything } from './start/start-all.ts';

const checkout = join(import.meta.dirname, '..');

await runEverything({ dataDir: join(checkout, '.data'), workerMain: join(checkout, 'worker', 'main.ts') });
