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
 * The secret in a file that only this user can read; null when there is no file. Throws for an empty one: who went on with
 * another secret would lose all that was sealed with the one that was there.
 */
export async function readSecret(file: string): Promise<string | null> {
  const secret = (await readFile(file, 'utf8').catch(nullIfMissing))?.trim();
  if (secret === '') throw new Error(`${file} is empty: delete it and start again.`);
  return secret ?? null;
}

/** The secret in the file, kept there from now on if there was none. Of two who keep one at once, both get the same. */
export async function storeSecret(file: string, secret: string): Promise<string> {
  const earlier = await readSecret(file);
  if (earlier !== null) return earlier;
  await withUnfinished(file, secret, (unfinished) => putInPlace(unfinished, file));
  const stored = await readSecret(file);
  if (stored === null) throw new Error(`${file} was deleted while it was created: start again.`);
  return stored;
}

/** Puts another secret in the place of the one in the file, for the same user. */
export async function replaceSecret(file: string, secret: string): Promise<void> {
  const earlier = await stat(file).catch(nullIfMissing);
  await withUnfinished(file, secret, async (unfinished) => {
    if (earlier) await chown(unfinished, earlier.uid, earlier.gid);
    await rename(unfinished, file);
  });
  await flushDirectory(dirname(file));
}

/** Has a secret put in place from a whole file beside the one that it is for. */
async function withUnfinished(file: string, secret: string, place: (unfinished: string) => Promise<void>) {
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomUUID().slice(0, 8)}.unfinished`;
  try {
    await writeFile(unfinished, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await place(unfinished);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Nobody ever sees the file without the secret in it, and a file that is there stays as it is. */
const putInPlace = (unfinished: string, file: string) =>
  link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
    // Some file systems have no links: there, one of two at once may find the file empty, and is told so.
    return withoutLinks.has(error.code)
      ? copyFile(unfinished, file, constants.COPYFILE_EXCL).catch(exceptExisting)
      : exceptExisting(error);
  });

const withoutLinks: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

function exceptExisting(error: NodeJS.ErrnoException) {
  if (error.code !== 'EEXIST') throw error;
}
