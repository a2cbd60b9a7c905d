import { readSettings, settingsOrExit } from '../../shared/runtime/settings/read-settings.ts';
import { replaceFiles } from '../../shared/runtime/settings/settings-from-files.ts';
import {
  MailCheckSettings,
  OpsSettings,
  PaymentCheckSettings,
  ServerSettings,
  StartSettings,
} from './settings.ts';

/** Reads the settings of the server from the environment. With `--help` or an invalid setting, prints a message and exits. */
export const serverSettings = () => settingsOrExit(ServerSettings, 'node server/main.ts', process.env);
export const startSettings = () => settingsOrExit(StartSettings, 'npx -y pnpm start', process.env);

/** Reads the settings of operator commands. Throws `SettingsError` for an invalid one. */
export const opsSettings = () => readSettings(OpsSettings, process.env);
/** Reads the settings of `ops mail check`. Throws `SettingsError` for an invalid one. */
export const mailCheckSettings = () => readSettings(MailCheckSettings, process.env);
/** Reads the settings of `ops payments check`. Throws `SettingsError` for an invalid one. */
export const paymentCheckSettings = () => readSettings(PaymentCheckSettings, process.env);

/** Returns the environment of this process with `values`, also where it has the paths of files that contain them. */
export const environmentWith = (values: Record<string, string>) => ({
  ...process.env,
  ...replaceFiles(values),
});
