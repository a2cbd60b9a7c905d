import { readFileSync, statSync } from 'node:fs';
import { isMissing } from '../file-system.ts';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that can be in a file: `NAME_FILE` is its path, as with secrets of containers. */
const settingsFromFiles = ['DATABASE_URL', 'SECRET_KEY', 'SMTP_URL'] as const;

/** Maximum size of such a file, in bytes. */
const maxBytes = 8_192;

/** Name of the setting with the path of a file that contains `name`; undefined if files cannot contain it. */
export const fileSettingOf = (name: string): string | undefined =>
  settingsFromFiles.some((setting) => setting === name) ? `${name}_FILE` : undefined;

/** Returns `values` for the environment of another process, where they replace the values of files. */
export const replaceFiles = (values: Readonly<Record<string, string>>): Record<string, string> => ({
  ...Object.fromEntries(Object.keys(values).flatMap((name) => [[fileSettingOf(name) ?? name, '']])),
  ...values,
});

/**
 * Reads the settings that are in files. Returns the content of each file, or the reason why it is refused, by the name
 * of its setting. Reasons contain neither content nor path, because a path may be a secret by mistake.
 */
export function readSettingFiles(environment: Environment) {
  const values = new Map<string, string>();
  const refusals = new Map<string, string>();
  for (const name of settingsFromFiles) {
    const path = environment[`${name}_FILE`];
    if (!path) continue;
    try {
      if (environment[name]) throw new RefusedFile(`is set together with ${name}; remove one of them`);
      values.set(name, readText(path));
    } catch (error) {
      if (!(error instanceof RefusedFile)) throw error;
      refusals.set(name, error.message);
    }
  }
  return { values, refusals };
}

class RefusedFile extends Error {}

/** Reads a file without the newlines at its end. Throws `RefusedFile` if its content cannot be a setting. */
function readText(path: string): string {
  try {
    const file = statSync(path);
    if (!file.isFile()) throw new RefusedFile('the path is not that of a file');
    if (file.size > maxBytes) throw new RefusedFile(`the file is larger than ${maxBytes} bytes`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).replace(/[\r\n]+$/, '');
    if (text === '') throw new RefusedFile('the file is empty');
    return text;
  } catch (error) {
    if (error instanceof RefusedFile) throw error;
    throw new RefusedFile(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (isMissing(error)) return 'there is no file at this path';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
    ? 'the file is not a text in UTF-8'
    : `the file cannot be read (${code})`;
}
