import { requireMigrated } from '../../shared/db/migrate.ts';
import { checkSecretKey } from '../../shared/runtime/encrypted-columns.ts';
import { createLogger, type Logger } from '../../shared/runtime/logger.ts';
import { opsCommand } from '../../shared/runtime/ops-command.ts';
import { runUntilStopped } from '../../shared/runtime/run-until-stopped.ts';
import { listSites } from '../accounts/sites/store.ts';
import type { Deps } from '../api/deps.ts';
import { serverSettings } from './env.ts';
import { ensureFirstSite } from './first-site.ts';
import { servePrepared } from './server-processes.ts';
import type { ServerSettings } from './settings.ts';
import { warnOfIneffectiveSettings } from './warn-of-settings.ts';

/** Runs the server until it receives a stop signal. If it cannot start, it logs the reason and exits. */
export async function runServer() {
  const settings = serverSettings();
  const logger = createLogger(settings);
  warnOfIneffectiveSettings(settings, logger);
  await runUntilStopped(logger, async ({ resources }) => {
    const { closeServer } = await servePrepared(
      settings,
      logger,
      (deps) => prepare(deps, settings, logger),
      resources,
    );
    resources.defer(closeServer);
    logger.info({ address: settings.PUBLIC_URL.origin, port: settings.PORT }, 'ready');
  }).catch((err: unknown) => {
    logger.fatal({ err }, 'server failed to start');
    process.exit(1);
  });
}

async function prepare(deps: Deps, settings: ServerSettings, logger: Logger) {
  await requireMigrated(deps.database, logger);
  await checkSecretKey({ ...deps, logger });
  await prepareFirstSite(deps, settings, logger);
}

/** Creates the first site with the owner of the settings. Without these and without a site, it logs a warning. */
async function prepareFirstSite(deps: Deps, settings: ServerSettings, logger: Logger) {
  const { DATABASE_URL: databaseUrl, OWNER_EMAIL: email, OWNER_PASSWORD: password } = settings;
  if (email && password) {
    const onProgress = (message: string) => logger.info(message);
    await ensureFirstSite(deps, { databaseUrl, email, password, demo: false, onProgress });
  } else if ((await listSites(deps)).length === 0) {
    logger.warn(
      `there is no site yet: set OWNER_EMAIL and OWNER_PASSWORD and restart, or run \`${opsCommand('sites create --name …')}\``,
    );
  }
}
