import { randomUUID } from 'node:crypto';
import {
  chown,
  constants,
  copyFile,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushDirectory, nullIfMissing } from '../../shared/runtime/file-system.ts';

/**
 * Reads the secret in a file that only this user can read; null if there is no file. Throws an `Error` for an empty
 * file, because data sealed with the lost secret could not be decrypted with a new one.
 */
export async function readSecret(file: string): Promise<string | null> {
  const secret = (await readFile(file, 'utf8').catch(nullIfMissing))?.trim();
  if (secret === '') throw new Error(`${file} is empty: delete it and start again.`);
  return secret ?? null;
}

/**
 * Returns the secret in the file, after storing `secret` there if the file is missing. Two concurrent callers get the
 * same secret. Throws an `Error` if the file is empty, or is deleted in the meantime.
 */
export async function storeSecret(file: string, secret: string): Promise<string> {
  const earlier = await readSecret(file);
  if (earlier !== null) return earlier;
  await withUnfinished(file, secret, (unfinished) => putInPlace(unfinished, file));
  const stored = await readSecret(file);
  if (stored === null) throw new Error(`${file} was deleted while it was created: start again.`);
  return stored;
}

/**
 * Replaces the secret in the file, and keeps the file's owner. Rejects if the file cannot be written; the earlier one
 * then remains.
 */
export async function replaceSecret(file: string, secret: string): Promise<void> {
  const earlier = await stat(file).catch(nullIfMissing);
  await withUnfinished(file, secret, async (unfinished) => {
    if (earlier) await chown(unfinished, earlier.uid, earlier.gid);
    await rename(unfinished, file);
  });
  await flushDirectory(dirname(file));
}

/**
 * Writes a secret to a complete file next to the target, passes its path to `moveIntoPlace`, and then deletes it if it
 * was not moved.
 */
async function withUnfinished(
  file: string,
  secret: string,
  moveIntoPlace: (unfinished: string) => Promise<void>,
) {
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomUUID().slice(0, 8)}.unfinished`;
  try {
    await writeFile(unfinished, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await moveIntoPlace(unfinished);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Creates the file with its complete content. An existing file stays unchanged. */
const putInPlace = (unfinished: string, file: string) =>
  link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
    // Some file systems have no hard links. There, one of two concurrent callers may find the file empty, and throws.
    return withoutLinks.has(error.code)
      ? copyFile(unfinished, file, constants.COPYFILE_EXCL).catch(exceptExisting)
      : exceptExisting(error);
  });

const withoutLinks: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

function exceptExisting(error: NodeJS.ErrnoException) {
  if (error.code !== 'EEXIST') throw error;
}
