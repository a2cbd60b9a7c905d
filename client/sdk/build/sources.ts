import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const packageDir = fileURLToPath(new URL('..', import.meta.url));

/** Names of the package's source files, without `.ts`. */
export async function sourceNames(): Promise<string[]> {
  const files = await readdir(packageDir);
  return files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
}
