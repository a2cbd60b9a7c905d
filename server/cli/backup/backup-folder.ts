import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfMissing } from '../../../shared/missing-file.ts';
import { isArchive } from './archive-reader.ts';

/** The names that this command chooses: of a backup, of one that lacks media, of one that was stopped before its end. */
const ownName = /^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z(?:\.partial)?\.tar(\.[0-9a-f]{8}\.unfinished)?$/;

/** Where a backup goes: the file that is named, or one with the moment for its name in the folder that is. */
export async function fileFor(path: string, now: Date): Promise<{ file: string; folder: string | null }> {
  const found = await stat(path).catch(nullIfMissing);
  if (!found?.isDirectory()) return { file: path, folder: null };
  const name = `${now.toISOString().slice(0, 19).replaceAll(':', '')}Z.tar`;
  return { file: join(path, name), folder: path };
}

/** What a backup is called that lacks some media. */
export const partialName = (file: string) => `${file.replace(/\.tar$/, '')}.partial.tar`;

/**
 * Removes the backups of a folder that this command made before `before`, by their names and what is in them, and tells
 * which. Only for after a whole one was made, which stays.
 */
export async function removeOlder(folder: string, before: Date): Promise<string[]> {
  const removed: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const [, day, hours, minutes, seconds, unfinished] = ownName.exec(name) ?? [];
    if (day === undefined || new Date(`${day}T${hours}:${minutes}:${seconds}Z`) >= before) continue;
    if (!unfinished && !(await isArchive(join(folder, name)))) continue;
    await rm(join(folder, name));
    removed.push(name);
  }
  return removed;
}
