/** The worker alone, for production: over the PostgreSQL of DATABASE_URL, migrated before by `pnpm ops migrate`. */
import { createLogger } from '../shared/process/logger.ts';
import { runUntilStopped } from '../shared/process/run-until-stopped.ts';
import { workerSettings } from './env.ts';
import { work } from './work.ts';

const settings = workerSettings();
const logger = createLogger(settings);

await runUntilStopped(logger, ({ resources }) => work(settings, logger, resources)).catch((err) => {
  logger.fatal({ err }, 'the worker could not start');
  process.exit(1);
});
