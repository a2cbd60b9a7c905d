import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Entry } from './archive-reader.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { paths } from './contents.ts';

/** Where files are while they are written; they get their names once they are whole. */
const unfinished = 'incoming';

/** Adds all media of a directory, and tells how many; one that is deleted meanwhile is left out. */
export async function addMedia(archive: ArchiveWriter, mediaDir: string): Promise<number> {
  let files = 0;
  for await (const path of filesOf(mediaDir)) {
    await using file = await open(join(mediaDir, path)).catch(nullIfMissing);
    if (!file) continue;
    await archive.addFile(`${paths.media}${path}`, file);
    files += 1;
  }
  return files;
}

/** Paths of all files of a directory below it, with slashes, in an order that does not change; none when it is missing. */
export async function* filesOf(directory: string, root = directory): AsyncGenerator<string> {
  const entries = (await readdir(directory, { withFileTypes: true }).catch(nullIfMissing)) ?? [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && !(directory === root && entry.name === unfinished)) yield* filesOf(path, root);
    else if (entry.isFile()) yield relative(root, path).split(sep).join('/');
  }
}

/** Writes the file of an entry below a directory; it has its name once it is whole. */
export async function writeMedia(mediaDir: string, entry: Entry): Promise<void> {
  const path = mediaPath(entry.path);
  if (path.split('/').some((part) => part === '..' || part === ''))
    throw new Error(`${entry.path} is no path`);
  const target = join(mediaDir, path);
  const temporary = join(mediaDir, unfinished, `restore-${entry.sha256}`);
  await mkdir(dirname(temporary), { recursive: true });
  await mkdir(dirname(target), { recursive: true });
  await pipeline(entry.content(), createWriteStream(temporary, { flush: true }));
  await rename(temporary, target);
}

/** Where below the media directory an entry belongs. */
export const mediaPath = (path: string) => path.slice(paths.media.length);

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
