import path from 'node:path';
import { withoutEnding } from './foreign-record.ts';
import { type FrontMatter, parseMatter } from './front-matter.ts';
import { around } from './named-files.ts';
import type { Zone } from './parse-time.ts';

export interface SettingsFile {
  name: string;
  text: string;
}

export type SettingsReader = (file: SettingsFile) => Setting[];

/** Statement of a settings file about texts. It counts like their own front matter, which takes precedence. */
export interface Setting {
  file: string;
  /** Folder to which it applies, with a slash at its end; empty for all files. */
  below: string;
  /** Returns whether it may apply to a file of that folder. */
  matches(file: string): boolean;
  /** False if the pattern was simplified, so that it may match more files than the generator's. */
  isExact: boolean;
  values: FrontMatter;
  /** Reason why these texts are not public. */
  why?: string;
  /** Reason to import these texts as drafts unless front matter or a data file states that they are public. */
  unlessPublic?: string;
  /** Possible time zones of dates without one. */
  zones?: readonly Zone[];
  /** Names of the time zones that the file sets, as written. */
  timeZones?: readonly string[];
  /** Custom names of a standard field. */
  renames?: { usual: string; own: readonly string[] };
  /** Precedence among settings for the same folder; the highest wins. */
  rank: number;
}

export function folderOf(name: string): string {
  const folder = path.posix.dirname(name);
  return folder === '.' ? '' : `${folder}/`;
}

/** Returns a path without dots and slashes at its beginning, and without slashes at its end. */
export const plainPath = (path: string) => withoutEnding(path.trim().replace(/^[./]+/, ''), '/');

/** Returns the folder at a path below `below`, with a slash at its end; `below` itself for an empty path. */
export function folderAt(below: string, path: string): string {
  const plain = plainPath(path);
  return plain === '' ? below : `${below}${plain}/`;
}

/** Returns the innermost of these folders that contains a file; null if none does. */
export const closestFolder = (name: string, folders: ReadonlySet<string>): string | null =>
  ['', ...around(folderOf(name))].findLast((folder) => folders.has(folder)) ?? null;

/** Builds a setting for all files in the folder of the settings file. `about` overrides its properties. */
export const setting = (name: string, about: Partial<Setting>): Setting => ({
  ...{ file: name, below: folderOf(name), matches: () => true, isExact: true, values: new Map(), rank: 0 },
  ...about,
});

/** Builds a setting that hides all files below `below` that are not in `inside`. */
export const outsideOf = (name: string, below: string, inside: string): Setting =>
  setting(name, {
    below,
    matches: (file) => !file.startsWith(inside),
    why: `${name} publishes only files in ${inside}`,
  });

/** Builds a setting that hides files that match a pattern, or are below one that does. */
export const excludedAt = ({ name, below }: { name: string; below: string }, pattern: string): Setting =>
  setting(name, { below, ...atOrBelow(below, pattern), why: `${name} excludes this file from the old site` });

/** Builds a setting that hides all files below, because the settings file cannot be read. */
export const unreadable = (name: string, below: string): Setting =>
  setting(name, { below, why: `${name} may hide it and cannot be read` });

/** Builds a setting for a settings file that is a program. It is not run, and might hide any text. */
export const unreadProgram = (name: string, about: Partial<Setting> = {}): Setting =>
  setting(name, {
    unlessPublic: `${name} may hide it and was not run, and no other setting states that it is public`,
    ...about,
  });

/** Reads a settings file in the format of its extension. A file that cannot be read hides all texts below `below`. */
export function parsedSettings(
  { name, text }: SettingsFile,
  read: (values: FrontMatter) => Setting[],
  below = folderOf(name),
): Setting[] {
  // An empty file counts as unreadable, because its content may not have been sent.
  const values = text === '' ? null : parseMatter(text, path.posix.extname(name).slice(1).toLowerCase());
  return values === null ? [unreadable(name, below)] : read(values);
}

/** Returns a value as a list: the list itself, a list with the value, or empty for null and undefined. */
export const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

export const textsOf = (value: unknown): string[] => listOf(value).filter((each) => typeof each === 'string');

/** Maximum number of alternatives in a pattern. */
const maxAlternatives = 50;

/** Compiles a pattern of paths with `*` and `{a,b}` that matches in linear time. Other syntax matches anything. */
export function pathPattern(pattern: string): Pick<Setting, 'matches' | 'isExact'> {
  const [, before = '', choice, after = ''] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(pattern) ?? [];
  const choices = choice?.split(',') ?? [];
  const each =
    choices.length === 0 || choices.length > maxAlternatives
      ? [plainPattern(pattern)]
      : choices.map((one) => plainPattern(`${before}${one}${after}`));
  return {
    isExact: each.every(({ isExact }) => isExact),
    matches: (at) => each.some(({ matches }) => matches(at)),
  };
}

/** Compiles a path in a folder, which may be a pattern. It matches files at the path or below it. */
export function atOrBelow(folder: string, path: string): Pick<Setting, 'matches' | 'isExact'> {
  const plain = plainPath(path);
  const patterns = [pathPattern(plain), pathPattern(plain === '' ? '**' : `${plain}/**`)];
  return {
    isExact: patterns.every(({ isExact }) => isExact),
    matches(file) {
      const at = file.slice(folder.length);
      return patterns.some(({ matches }) => matches(at) || matches(`/${at}`));
    },
  };
}

function plainPattern(pattern: string): Pick<Setting, 'matches' | 'isExact'> {
  // `**/` also matches no folder.
  const loose = pattern.replaceAll('**/', '**');
  const [plain = ''] = loose.split(/[[\]?!{}()]/, 1);
  const [first = '', ...others] = (plain === loose ? loose : `${plain}*`).split(/\*+/);
  const last = others.at(-1) ?? '';
  return {
    isExact: plain === pattern && !/(?<!\*)\*(?!\*)/.test(pattern),
    matches(at) {
      if (others.length === 0) return at === first;
      let from = first.length;
      for (const piece of others.slice(0, -1)) {
        const found = at.indexOf(piece, from);
        if (found < 0) return false;
        from = found + piece.length;
      }
      return at.startsWith(first) && at.endsWith(last) && at.length - last.length >= from;
    },
  };
}
