import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const packageDir = fileURLToPath(new URL('..', import.meta.url));

/** Returns the names of the package's source files without `.ts`. Those in its folders are not included. */
export async function sourceNames(): Promise<string[]> {
  const files = await readdir(packageDir);
  return files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
}
