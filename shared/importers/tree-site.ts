import type { ImportAnswers } from '../contract/features/import-export.ts';
import { type FileTree, ownNames } from './file-tree.ts';
import type { ForeignSite } from './foreign-record.ts';
import { readGhost } from './ghost.ts';
import { isMarkdown, readMarkdown } from './markdown.ts';
import { isMedium, readMedium } from './medium.ts';
import { type FileContent, SourceError } from './source-file.ts';
import { isSubstack, readSubstack } from './substack.ts';
import { readWordPress } from './wordpress.ts';

/**
 * Opens a folder with the importer that its files identify. Throws `SourceError` if they identify none, or if its
 * export cannot be read.
 */
export async function readTree(tree: FileTree, now: Date, answers: ImportAnswers = {}): Promise<ForeignSite> {
  const names = ownNames(tree);
  const one = (form: RegExp, other?: RegExp) => {
    const found = names.filter((name) => form.test(name) && !other?.test(name));
    return found.length === 1 ? found[0] : undefined;
  };
  if (names.some((name) => isMarkdown(name) && !ofBackup.test(name))) return readMarkdown(tree, now);
  const named = one(ghostExport);
  if (named === undefined) {
    if (names.some(isMarkdown)) return readMarkdown(tree, now);
    if (isSubstack(names)) return readSubstack(tree, now, answers);
    if (isMedium(names)) return readMedium(tree, now);
  }
  const json = named ?? one(/\.json$/i, ghostSettings);
  if (json !== undefined) return readGhost(contentOf(tree, json), now, tree);
  const xml = one(/\.xml$/i);
  if (xml !== undefined) return readWordPress(contentOf(tree, xml), now);
  throw new SourceError(
    'the folder has neither Markdown in it nor an export of Ghost, WordPress, Substack or Medium',
  );
}

/** Markdown files that backups of Ghost may contain, too: of themes and uploads, and about the folder. */
const ofBackup = /(?:^|\/)(?:(?:themes|files|images|media)\/|(?:readme|licen[cs]e|changelog)\.\w+$)/i;

/** Default file names of a Ghost export. */
const ghostExport = /(?:^|\/)(?:[^/]*\.ghost\.[\d-]+|content-from-v[^/]*)\.json$/i;

/** JSON files of Ghost that are not the export, which may have a custom name. */
const ghostSettings = /(?:^|\/)(?:(?:themes|settings)\/|(?:redirects|config\.)[^/]*$)/i;

/** Content of a file of the tree. Can be read repeatedly. */
const contentOf = (tree: FileTree, name: string): FileContent =>
  async function* () {
    for await (const file of tree.read(new Set([name]))) yield* file.content();
  };
