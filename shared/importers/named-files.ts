import path from 'node:path';
import { type FileTree, ownNames } from './file-tree.ts';

/** What files are in, whose ids are their names. */
export interface NamedFiles {
  /** The folder that all of them are in, with a slash at its end; empty when there is none. */
  within: string;
  /** The folders at its top, with a slash at the end of each: all that are in it could be millions. */
  tops: ReadonlySet<string>;
}

/** Where the files of a folder are. */
export function namedFiles(tree: FileTree): NamedFiles {
  const names = ownNames(tree);
  const within = commonFolder(names);
  return { within, tops: new Set(names.map((name) => topOf(name.slice(within.length)))) };
}

/** The first folder of a path, with a slash at its end; empty when there is none. */
export const topOf = (name: string): string => name.slice(0, name.indexOf('/') + 1);

/** The folder that all of these are in, with a slash at its end; empty when there is none. */
export function commonFolder([first = '', ...others]: readonly string[]): string {
  let common = first.slice(0, first.lastIndexOf('/') + 1);
  for (const name of others)
    while (!name.startsWith(common)) common = common.slice(0, common.slice(0, -1).lastIndexOf('/') + 1);
  return common;
}

/** What a text is called by its file, or by the folder that its file stands for; a day that it begins with stands apart. */
export function textName(file: string) {
  const { name, dir } = path.posix.parse(file);
  const isFolder = /^_?index$/i.test(name);
  const own = (isFolder && path.posix.basename(dir)) || name;
  const [day] = /^\d{4}-\d{1,2}-\d{1,2}(?=-|$)/.exec(own) ?? [];
  const undated = (day !== undefined && own.slice(day.length + 1)) || own;
  return { own, day, undated, folder: isFolder ? path.posix.dirname(dir) : dir };
}

/** A folder and those that it is in, each with a slash at its end. */
export const around = (folder: string): string[] =>
  [...folder.matchAll(/\//g)].map(({ index }) => folder.slice(0, index + 1));
