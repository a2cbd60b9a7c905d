import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
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
  const unfinished = `${file}.${randomUUID().slice(0, 8)}.unfinished`;
  try {
    await writeFile(unfinished, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Nobody ever sees the file without the secret in it.
    await link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(unfinished, { force: true });
  }
  const stored = await readSecret(file);
  // Who went on with a secret that is kept nowhere would lose, at the next start, all that it was used for.
  if (stored === null) throw new Error(`${file} is empty: delete it, and start again.`);
  return stored;
}
