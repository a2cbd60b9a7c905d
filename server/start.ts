/** `pnpm start`: everything on one machine, with nothing to prepare. */
import { join } from 'node:path';
import { createLogger } from '../shared/process/logger.ts';
import { runUntilStopped } from '../shared/process/run-until-stopped.ts';
import { startSettings } from './env.ts';
import { startEverything } from './start/everything.ts';

const settings = startSettings();
const logger = createLogger(settings);
const checkout = join(import.meta.dirname, '..');
const places = { dataDir: join(checkout, '.data'), workerMain: join(checkout, 'worker', 'main.ts') };

await runUntilStopped(logger, (lifetime) => startEverything({ settings, logger, ...places }, lifetime)).catch(
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    logger.debug({ err: error }, 'could not start');
    process.exit(1);
  },
);
