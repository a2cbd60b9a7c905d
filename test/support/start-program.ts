/** Runs `pnpm start` with folders that a test chose. */
import { z } from 'zod';
import { bundled } from '../../shared/runtime/load-bundle.ts';

const Places = z.object({ dataDir: z.string(), workerMain: z.string() });

const { runEverything } = await bundled(
  'server/start/start-all.ts',
  () => import('../../server/start/start-all.ts'),
);
await runEverything(Places.parse(JSON.parse(process.env.PLACES ?? '')));
