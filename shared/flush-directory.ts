import { open } from 'node:fs/promises';

/** Makes the names in a directory last through a loss of power. */
export async function flushDirectory(path: string) {
  await using directory = await open(path);
  await directory.sync();
}
