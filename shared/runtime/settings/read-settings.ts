import { parseArgs } from 'node:util';
import { z } from 'zod';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

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
 * Parses environment variables with `schema`. An empty variable counts as unset. Problems never contain values, because
 * some are secret. Throws a `SettingsError` that lists every problem.
 */
export function readSettings<T>(schema: z.ZodType<T>, environment: Environment): T {
  const given = Object.entries(environment).filter(([, value]) => value !== '');
  const result = schema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  throw new SettingsError(result.error.issues.map(problem));
}

const problem = ({ path, message }: z.core.$ZodIssue) => `${path.join('.')}: ${message}`;

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
  return Object.entries(properties).map(([name, field]) => ({
    name,
    usual: field.whenUnset ?? field.default,
    isRequired: required.includes(name),
    description: field.description ?? '',
  }));
}

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
