import path from 'node:path';
import { type FileTree, ownNames } from './file-tree.ts';
import { type ForeignRecord, type ForeignSite, leftOut } from './foreign-record.ts';
import { type Folder, folderOf, isMarkdown, recordOfFile } from './markdown-file.ts';
import { placesOf } from './markdown-places.ts';
import { namedFiles } from './named-files.ts';

/** A folder of Markdown files, each a post: what their front matter says, and what stands below it. */
export async function readMarkdown(tree: FileTree, now: Date): Promise<ForeignSite> {
  const folder = await folderOf(tree, now);
  const byName = new Map<string, string>();
  for (const { name } of tree.files.toReversed()) byName.set(path.posix.basename(name).toLowerCase(), name);
  return {
    source: 'markdown',
    named: namedFiles(tree),
    hasSharedIds: true,
    form: 'markdown',
    records: () => recordsOf(tree, folder),
    placesOf(reference, { sourceId: file, addresses = [], places = [] }) {
      const address = addresses[0] ?? places.find((place) => place.startsWith('/'));
      return placesOf(reference, { file, address }, { top: folder.top, byName });
    },
    tree,
  };
}

async function* recordsOf(tree: FileTree, folder: Folder): AsyncGenerator<ForeignRecord> {
  const own = ownNames(tree);
  const texts = new Set(own.filter(isMarkdown));
  for await (const file of tree.read(texts)) yield await recordOfFile(file, folder);
  for (const name of own) if (!texts.has(name)) yield leftOut(name, whyLeftOut(folder.timeZones.get(name)));
}

const whyLeftOut = (timeZone: string | undefined) =>
  timeZone === undefined
    ? 'no post or page uses this file'
    : `set its time zone, ${timeZone.slice(0, 64)}, in Look and settings`;
