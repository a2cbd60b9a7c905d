import { createLogger } from '../shared/process/logger.ts';
import { runUntilStopped } from '../shared/process/run-until-stopped.ts';
import { settingsOrExit } from '../shared/settings/settings-or-exit.ts';
import { WorkerSettings } from './settings.ts';
import { work } from './work.ts';

/** Runs the worker until it is told to stop. What can't start says why and exits. */
export async function runWorker() {
  const settings = settingsOrExit(WorkerSettings, 'node worker/main.ts', process.env);
  const logger = createLogger(settings);
  await runUntilStopped(logger, ({ resources }) => work(settings, logger, resources)).catch(
    (err: unknown) => {
      logger.fatal({ err }, 'worker failed to start');
      process.exit(1);
    },
  );
}
