import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Environment, fileSettingOf, readSettingFiles } from './settings-from-files.ts';

/** Error for invalid settings. `problems` has one line per variable. */
class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/**
 * Parses environment variables with `schema`. An empty variable counts as unset. A value may be in a file whose path is
 * in `NAME_FILE`. Problems never contain values, because some are secret. Throws a `SettingsError` that lists every problem.
 */
export function readSettings<T>(schema: z.ZodType<T>, environment: Environment): T {
  const given = Object.entries(environment).filter(([, value]) => value !== '');
  const { values, refusals } = readSettingFiles(environment);
  const result = schema.safeParse(Object.fromEntries([...given, ...values]));
  if (result.success && refusals.size === 0) return result.data;
  // A setting whose file was refused also has no value. Only the refusal is reported.
  const issues = (result.error?.issues ?? []).filter(({ path: [name] }) => !refusals.has(String(name)));
  throw new SettingsError([
    ...[...refusals].map(([name, reason]) => `${fileSettingOf(name)}: ${reason}`),
    ...issues.map(({ path, message }) => {
      const name = path.join('.');
      return `${values.has(name) ? fileSettingOf(name) : name}: ${message}`;
    }),
  ]);
}

/** JSON schema of environment variables, with the parts that help needs. */
const Variables = z.object({
  required: z.array(z.string()).default([]),
  properties: z.record(
    z.string(),
    z.object({
      description: z.string().optional(),
      default: z.string().optional(),
      whenUnset: z.string().optional(),
    }),
  ),
});

/** Variable of a settings schema. `usual` is its default or, if it has none, what applies while it is unset. */
export interface DescribedSetting {
  name: string;
  usual: string | undefined;
  isRequired: boolean;
  description: string;
}

/** Lists the variables of `schema`. A default that is described in words is in `meta({ whenUnset })`. */
export function listSettings(schema: z.ZodType): DescribedSetting[] {
  const { properties, required } = Variables.parse(
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  );
  return Object.entries(properties).flatMap(([name, field]) => {
    const setting = {
      name,
      usual: field.whenUnset ?? field.default,
      isRequired: required.includes(name),
      description: field.description ?? '',
    };
    const file = fileSettingOf(name);
    return file ? [setting, describeFile(name, file)] : [setting];
  });
}

const describeFile = (name: string, file: string): DescribedSetting => ({
  name: file,
  usual: undefined,
  isRequired: false,
  description: `path of a file that contains ${name}, such as a secret of a container; set only one of the two`,
});

/** Describes each variable of `schema` in a paragraph: name, default and description. */
export const describeSettings = (schema: z.ZodType): string =>
  listSettings(schema)
    .map(
      ({ name, usual, description }) =>
        `  ${name}${usual === undefined ? '' : `  (default: ${usual})`}\n      ${description}`,
    )
    .join('\n');

/**
 * Parses the settings of a process whose only option is `--help`. With `--help`, another option, or invalid settings,
 * it prints a message and exits.
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
