import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nullIfMissing } from '../../shared/missing-file.ts';

/** The secret in a file that only this user can read; null when there is none. */
export async function readSecret(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(nullIfMissing);
  return text?.trim() || null;
}

/** The secret in the file, kept there from now on if there was none. Of two who keep one at once, both get the same. */
export async function storeSecret(file: string, secret: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${secret}\n`, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return (await readSecret(file)) ?? secret;
}
