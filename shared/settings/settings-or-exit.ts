import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { describeSettings, type Environment, readSettings, SettingsError } from './read-settings.ts';

/**
 * The settings that `schema` makes of the environment of a process whose only option is `--help`. With that, with
 * another, or with settings that can't be used, the process says so and exits.
 */
export function settingsOrExit<T>(schema: z.ZodType<T>, command: string, environment: Environment): T {
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help) {
      console.log(`Usage: ${command}\n\nSettings are environment variables:\n\n${describeSettings(schema)}`);
      process.exit(0);
    }
    return readSettings(schema, environment);
  } catch (error) {
    const known = error instanceof SettingsError || (error instanceof TypeError && 'code' in error);
    if (!known) throw error;
    console.error(`${error.message}\n\`${command} --help\` lists all settings.`);
    process.exit(1);
  }
}
