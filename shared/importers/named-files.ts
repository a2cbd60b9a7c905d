import path from 'node:path';
import { type FileTree, ownNames } from './file-tree.ts';

/** Folders of files whose names are source IDs. */
export interface NamedFiles {
  /** Folder that contains all of these files, with a slash at its end; empty if there is none. */
  within: string;
  /**
   * Folders directly below `within`, with a slash at the end. Deeper folders are omitted, since there could be millions.
   */
  tops: ReadonlySet<string>;
}

/**
 * Returns the folder that contains all of a tree's files, and the names of the first folders in it. Files of tools are
 * ignored.
 */
export function namedFiles(tree: FileTree): NamedFiles {
  const names = ownNames(tree);
  const within = commonFolder(names);
  return { within, tops: new Set(names.map((name) => topOf(name.slice(within.length)))) };
}

/** Returns the first folder of a path, with a slash at its end; empty if there is none. */
export const topOf = (name: string): string => name.slice(0, name.indexOf('/') + 1);

/** Returns the folder that contains all of these files, with a slash at its end; empty if there is none. */
export function commonFolder([first = '', ...others]: readonly string[]): string {
  let common = first.slice(0, first.lastIndexOf('/') + 1);
  for (const name of others)
    while (!name.startsWith(common)) common = common.slice(0, common.slice(0, -1).lastIndexOf('/') + 1);
  return common;
}

/**
 * Splits the path of a text. `own` is the file's name without extension, or the folder's if it is an index file.
 * `undated` is `own` without a leading date, or `own` if it is only a date. `day` is that date as written, such as
 * `2024-1-5`, and may be invalid; undefined without one. `folder` contains the named file or folder; empty or `.` at
 * the top.
 */
export function textName(file: string) {
  const { name, dir } = path.posix.parse(file);
  const isFolder = /^_?index$/i.test(name);
  const own = (isFolder && path.posix.basename(dir)) || name;
  const [day] = /^\d{4}-\d{1,2}-\d{1,2}(?=-|$)/.exec(own) ?? [];
  const undated = (day !== undefined && own.slice(day.length + 1)) || own;
  return { own, day, undated, folder: isFolder ? path.posix.dirname(dir) : dir };
}

/** Returns a folder and all its parent folders, each with a slash at its end. */
export const around = (folder: string): string[] =>
  [...folder.matchAll(/\//g)].map(({ index }) => folder.slice(0, index + 1));
