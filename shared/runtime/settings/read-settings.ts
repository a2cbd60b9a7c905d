import { parseArgs } from 'node:util';
import { z } from 'zod';

/** Environment variables as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that can't be used; `problems` has one line for each variable that is wrong. */
class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/**
 * The settings that `schema` makes of environment variables; one that is empty counts as unset. Values are never
 * repeated in problems, since some are secret.
 *
 * @throws SettingsError that names every problem
 */
export function readSettings<T>(schema: z.ZodType<T>, environment: Environment): T {
  const given = Object.entries(environment).filter(([, value]) => value !== '');
  const result = schema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  throw new SettingsError(result.error.issues.map(problem));
}

const problem = ({ path, message }: z.core.$ZodIssue) => `${path.join('.')}: ${message}`;

/** The fields of a schema for environment variables, as far as help needs them. */
const Variables = z.object({
  properties: z.record(
    z.string(),
    z.object({
      description: z.string().optional(),
      default: z.string().optional(),
      whenUnset: z.string().optional(),
    }),
  ),
});

/**
 * One paragraph for each variable of `schema`: its name, its default and its description. A default that only a
 * sentence can tell stands in the field's `meta({ whenUnset })`.
 */
export function describeSettings(schema: z.ZodType): string {
  const { properties } = Variables.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  const paragraphs = Object.entries(properties).map(([name, field]) => {
    const usual = field.whenUnset ?? field.default;
    return `  ${name}${usual === undefined ? '' : `  (default: ${usual})`}\n      ${field.description ?? ''}`;
  });
  return paragraphs.join('\n');
}

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
