import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { flushDirectory, isMissing, nullIfMissing } from '../runtime/file-system.ts';
import {
  type ByteRange,
  isOutOfRoom,
  MediaAwayError,
  MediaFullError,
  type ObjectStore,
  partsOfKey,
  requireLength,
} from './store.ts';

/** Where files are written before they get their names: on the same file system, or renaming them would copy. */
const incoming = 'incoming';

/** The names that they have there. */
const unfinishedName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Keeps media in a directory, which is made when it is first needed. Several processes may share it. */
export function createDiskStore(directory: string): ObjectStore {
  const pathOf = (key: string) => join(directory, ...partsOfKey(key));
  return {
    put: async (key, content, bytes) => write(directory, pathOf(key), content, bytes),
    get: async (key, range) => read(pathOf(key), range).catch(failAsStore),
    delete: async (key) => remove(directory, pathOf(key)).catch(failAsStore),
    removeUnfinished: (before) => removeUnfinished(join(directory, incoming), before).catch(failAsStore),
  };
}

/** The file is whole on the disk before it has its name, and its name before this resolves. */
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
    // What is wrong with the store is told of below.
    await rm(temporary, { force: true }).catch(() => {});
    return error === wrong ? Promise.reject(error) : failAsStore(error);
  }
}

/** An error of the file system says that the store is full, or away; any other is a fault of the content, or of ours. */
function failAsStore(cause: unknown): never {
  if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
  if (isOutOfRoom(cause)) throw new MediaFullError('the media store is full', { cause });
  throw new MediaAwayError(cause.message, { cause });
}

/** Whoever removes the last file of a directory removes the directory too, perhaps just before the new file comes. */
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

/** With the directories that it leaves empty. */
async function remove(directory: string, path: string) {
  await rm(path, { force: true });
  try {
    for (let parent = dirname(path); parent !== directory; parent = dirname(parent)) await rmdir(parent);
  } catch {
    // Others are in use, or somebody else has removed them.
  }
}

/** Somebody else's files may lie in a directory: they stay, whatever they are and whether or not they can be read. */
async function removeUnfinished(directory: string, before: Date) {
  const names = (await readdir(directory).catch(nullIfMissing)) ?? [];
  for (const path of names.filter((name) => unfinishedName.test(name)).map((name) => join(directory, name))) {
    const found = await lstat(path).catch(nullIfMissing);
    if (found?.isFile() && found.mtime < before) await rm(path, { force: true });
  }
}
