import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRunning } from './process.ts';

/** Folder of files in memory on Linux. */
const inMemory = '/dev/shm';

/** Minimum free space, in bytes. Containers often have only 64 MB. */
const neededBytes = 4 * 1024 ** 3;

/** Name of such a folder. The number is the ID of the process that created it. */
const named = /^(?:creator-content-|start test )\D*(\d+)-/;

/**
 * Creates a folder for the data of a PostgreSQL, in memory if there is room. Each test has its own database of a
 * thousand files, and creating those on a disk takes a third of a second. The caller removes the folder.
 */
export async function makeDatabaseFolder(prefix: string): Promise<string> {
  await removeAbandoned();
  const parent = (await hasRoom()) ? inMemory : tmpdir();
  const folder = await mkdtemp(path.join(parent, `${prefix}${process.pid}-`));
  // Checkouts usually have this mode, and the database's user needs access.
  await chmod(folder, 0o755);
  return folder;
}

async function hasRoom(): Promise<boolean> {
  const found = await statfs(inMemory).catch(() => null);
  const isLarge = found !== null && found.bavail * found.bsize >= neededBytes;
  return isLarge && process.availableMemory() >= 2 * neededBytes;
}

/** Removes folders of tests that were killed. They would stay in memory until the machine restarts. */
async function removeAbandoned() {
  for (const name of await readdir(inMemory).catch(() => [])) {
    const [, pid] = named.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(path.join(inMemory, name), { recursive: true, force: true });
  }
}
