import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfMissing } from './file-system.ts';

/** Nothing that is made in such folders takes as long. */
const oldMs = 3_600_000;

/** Removes the unfinished folders in `parent` that killed processes left there an hour ago or earlier. Other users' are left to them. */
export async function removeLeftFolders(
  parent: string,
  isUnfinished: (name: string) => boolean,
): Promise<void> {
  const names = await readdir(parent).catch(nullIfMissing);
  for (const name of names?.filter(isUnfinished) ?? []) {
    const path = join(parent, name);
    const found = await lstat(path).catch(() => null);
    if (found && Date.now() - found.mtimeMs > oldMs)
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
