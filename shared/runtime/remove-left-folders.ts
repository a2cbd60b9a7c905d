import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfMissing } from './file-system.ts';

/** Minimum age of a folder that is removed, in milliseconds. Creating such folders always takes less time. */
const oldMs = 3_600_000;

/**
 * Removes unfinished folders that killed processes left in `parent` at least an hour ago. Folders of other users that
 * cannot be removed stay.
 */
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
