import { readSettings, settingsOrExit } from '../../shared/runtime/settings/read-settings.ts';
import { MailCheckSettings, OpsSettings, ServerSettings, StartSettings } from './settings.ts';

/** Settings of this process from its environment; with `--help`, or with one that can't be used, it says so and exits. */
export const serverSettings = () => settingsOrExit(ServerSettings, 'node server/main.ts', process.env);
export const startSettings = () => settingsOrExit(StartSettings, 'npx -y pnpm start', process.env);

/** Settings of an operator command, and those of the check of mail. Throw SettingsError. */
export const opsSettings = () => readSettings(OpsSettings, process.env);
export const mailCheckSettings = () => readSettings(MailCheckSettings, process.env);

/** The environment for a process that this one starts. */
export const environmentWith = (values: Record<string, string>) => ({ ...process.env, ...values });
