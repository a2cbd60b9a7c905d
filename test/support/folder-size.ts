import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

export const megabyte = 2 ** 20;

/**
 * Returns the size of a folder on disk, in bytes, as `du` counts it: whole blocks, and a file with several names once.
 */
export async function folderSize(folder: string): Promise<number> {
  const seen = new Set<number>();
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const { ino, blocks } = await lstat(path.join(entry.parentPath, entry.name));
    if (!seen.has(ino)) bytes += blocks * 512;
    seen.add(ino);
  }
  return bytes;
}
