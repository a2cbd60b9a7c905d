import { settingsOrExit } from '../shared/settings/settings-or-exit.ts';
import { WorkerSettings } from './settings.ts';

/** Settings of this process from its environment; with `--help`, or with one that can't be used, it says so and exits. */
export const workerSettings = () => settingsOrExit(WorkerSettings, 'node worker/main.ts', process.env);
