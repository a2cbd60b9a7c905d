/** `pnpm start` over the places that a test chose. */
import { z } from 'zod';
import { runEverything } from '../../server/start/start-all.ts';

const Places = z.object({ dataDir: z.string(), workerMain: z.string() });

await runEverything(Places.parse(JSON.parse(process.env.PLACES ?? '')));
