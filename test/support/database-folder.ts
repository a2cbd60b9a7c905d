import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Where Linux has files in memory. */
const inMemory = '/dev/shm';

/** Containers often have 64 MB of it. */
const neededBytes = 4 * 1024 ** 3;

/**
 * A new folder for the data of a PostgreSQL, in memory where there is room: each test has a database of its own, of a
 * thousand files, which a disk takes a third of a second to make. Whoever calls removes it.
 */
export async function makeDatabaseFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join((await hasRoom()) ? inMemory : tmpdir(), prefix));
  // As a checkout's folder usually is: the database's user has to get in.
  await chmod(folder, 0o755);
  return folder;
}

async function hasRoom(): Promise<boolean> {
  const found = await statfs(inMemory).catch(() => null);
  return found !== null && found.bavail * found.bsize >= neededBytes;
}
