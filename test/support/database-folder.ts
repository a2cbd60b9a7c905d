import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Where Linux has files in memory. */
const inMemory = '/dev/shm';

/** Containers often have 64 MB of it. */
const neededBytes = 4 * 1024 ** 3;

/** Behind the prefix stands whose folder it is. */
const named = /^(?:creator-content-|start test )\D*(\d+)-/;

/**
 * A new folder for the data of a PostgreSQL, in memory where there is room: each test has a database of its own, of a
 * thousand files, which a disk takes a third of a second to make. Whoever calls removes it.
 */
export async function makeDatabaseFolder(prefix: string): Promise<string> {
  await removeAbandoned();
  const parent = (await hasRoom()) ? inMemory : tmpdir();
  const folder = await mkdtemp(path.join(parent, `${prefix}${process.pid}-`));
  // As a checkout's folder usually is: the database's user has to get in.
  await chmod(folder, 0o755);
  return folder;
}

async function hasRoom(): Promise<boolean> {
  const found = await statfs(inMemory).catch(() => null);
  const isLarge = found !== null && found.bavail * found.bsize >= neededBytes;
  return isLarge && process.availableMemory() >= 2 * neededBytes;
}

/** What was left in memory by tests that were killed would stay there until the machine starts anew. */
async function removeAbandoned() {
  for (const name of await readdir(inMemory).catch(() => [])) {
    const [, pid] = named.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(path.join(inMemory, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
