/** The server alone, for production: over the PostgreSQL of DATABASE_URL, migrated before by `pnpm ops migrate`. */
import { createLogger } from '../shared/process/logger.ts';
import { runUntilStopped } from '../shared/process/run-until-stopped.ts';
import { createDeps, openInfrastructure } from './compose.ts';
import { serverSettings } from './env.ts';
import { serve } from './serve.ts';

const settings = serverSettings();
const logger = createLogger(settings);

await runUntilStopped(logger, async ({ resources }) => {
  const deps = createDeps(await openInfrastructure(settings, logger, resources));
  resources.defer(await serve(deps, settings));
  logger.info({ address: settings.PUBLIC_URL.origin, port: settings.PORT }, 'ready');
}).catch((err: unknown) => {
  logger.fatal({ err }, 'the server could not start');
  process.exit(1);
});
