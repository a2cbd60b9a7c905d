import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'creator-content-sizes-';

/** An image takes minutes at most. */
const oldMs = 3_600_000;

/** A folder for the copies of an image: a process of its own makes them, which needs names. The caller removes it. */
export const makeWorkingFolder = () => mkdtemp(join(tmpdir(), prefix));

/** Removes the folders of workers that were killed: `now` is the time of the disk. Other users' are left to them. */
export async function removeLeftFolders(now: Date): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => null);
    if (found && now.getTime() - found.mtimeMs > oldMs)
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
