import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ForeignRecord, ForeignSite } from './foreign-record.ts';
import { folderOf, isForPrograms, recordOfFile } from './markdown-file.ts';

/** A folder of Markdown files, each a post: what their front matter says, and what stands below it. */
export const readMarkdownFolder = (folder: string, now: Date): ForeignSite => ({
  source: 'markdown',
  records: recordsOf(folder, now),
});

async function* recordsOf(root: string, now: Date): AsyncGenerator<ForeignRecord> {
  const names = await Array.fromAsync(namesBelow(root, ''));
  const folder = folderOf(names, now);
  for (const name of names.filter((name) => !isForPrograms(name))) {
    const file = path.join(root, name);
    const { size, mtime } = await stat(file);
    yield await recordOfFile({ name, size, mtime, read: () => readFile(file) }, folder);
  }
}

/** Every file in the order of its name. Links are left alone: what they point at may be outside, and nobody's to publish. */
async function* namesBelow(root: string, below: string): AsyncGenerator<string> {
  const entries = await readdir(path.join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = `${below}${entry.name}`;
    if (entry.isFile()) yield name;
    else if (entry.isDirectory()) {
      // What programs keep is not looked through; that it is there tells what the folder is.
      if (isForPrograms(name)) yield `${name}/`;
      else yield* namesBelow(root, `${name}/`);
    }
  }
}
