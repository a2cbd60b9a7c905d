import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { flushDirectory, isMissing, nullIfMissing } from '../runtime/file-system.ts';
import {
  type ByteRange,
  isOutOfRoom,
  MediaFullError,
  MediaUnavailableError,
  type ObjectStore,
  partsOfKey,
  requireLength,
} from './store.ts';

/** Folder of files that are being written. It is on the same file system, so that a rename does not copy. */
const incoming = 'incoming';

/** Pattern of the names of unfinished files. */
const unfinishedName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Creates a media store in a directory, which is created with the first file. Several processes may share it. Its functions
 * throw `MediaFullError` if the disk is full, and `MediaUnavailableError` if the directory is unavailable.
 */
export function createDiskStore(directory: string): ObjectStore {
  const pathOf = (key: string) => join(directory, ...partsOfKey(key));
  return {
    put: async (key, content, bytes) => write(directory, pathOf(key), content, bytes),
    get: async (key, range) => read(pathOf(key), range).catch(failAsStore),
    delete: async (key) => remove(directory, pathOf(key)).catch(failAsStore),
    removeUnfinished: (before) => removeUnfinished(join(directory, incoming), before).catch(failAsStore),
  };
}

/**
 * Writes a file. It is complete on the disk before it gets its name, and its name is on the disk before this resolves.
 */
async function write(directory: string, path: string, content: AsyncIterable<Buffer>, bytes: number) {
  const temporary = join(directory, incoming, randomUUID());
  let wrong: unknown;
  const whole = async function* () {
    try {
      yield* requireLength(content, bytes);
    } catch (error) {
      wrong = error;
      throw error;
    }
  };
  try {
    await mkdir(dirname(temporary), { recursive: true });
    await writeFile(temporary, whole(), { flag: 'wx', flush: true });
    await renameInto(temporary, path);
    await flushDirectory(dirname(path));
  } catch (error) {
    // Ignore a failed removal: the original error is thrown below, and `removeUnfinished` deletes the file later.
    await rm(temporary, { force: true }).catch(() => {});
    return error === wrong ? Promise.reject(error) : failAsStore(error);
  }
}

/**
 * Rethrows an error. Errors of the file system mean that the store is full or unavailable; others are faults of the
 * content or of this program.
 */
function failAsStore(cause: unknown): never {
  if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
  if (isOutOfRoom(cause)) throw new MediaFullError('the media store is full', { cause });
  throw new MediaUnavailableError(cause.message, { cause });
}

/** Renames a file, and retries because another process may remove an empty directory before the new file arrives. */
async function renameInto(temporary: string, path: string) {
  for (let triesLeft = 5; ; triesLeft -= 1) {
    await mkdir(dirname(path), { recursive: true });
    try {
      return await rename(temporary, path);
    } catch (error) {
      if (!isMissing(error) || triesLeft === 0) throw error;
    }
  }
}

async function read(path: string, range: ByteRange | undefined): Promise<Readable | null> {
  try {
    const file = await open(path);
    return file.createReadStream(range && { start: range.first, end: range.last });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Deletes a file, and directories that become empty. */
async function remove(directory: string, path: string) {
  await rm(path, { force: true });
  try {
    for (let parent = dirname(path); parent !== directory; parent = dirname(parent)) await rmdir(parent);
  } catch {
    // The directory is in use, or another process has removed it.
  }
}

/** Deletes old unfinished files. Files of other programs in the directory stay, whether or not they are readable. */
async function removeUnfinished(directory: string, before: Date) {
  const names = (await readdir(directory).catch(nullIfMissing)) ?? [];
  for (const path of names.filter((name) => unfinishedName.test(name)).map((name) => join(directory, name))) {
    const found = await lstat(path).catch(nullIfMissing);
    if (found?.isFile() && found.mtime < before) await rm(path, { force: true });
  }
}
