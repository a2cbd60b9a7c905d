import path from 'node:path';
import { withoutEnding } from './foreign-record.ts';
import { type FrontMatter, parseMatter } from './front-matter.ts';
import type { Zone } from './moments.ts';
import { around } from './named-files.ts';

export interface SettingsFile {
  name: string;
  text: string;
}

export type SettingsReader = (file: SettingsFile) => Setting[];

/** What such a file says of texts: as if their own front matter did, unless that says otherwise. */
export interface Setting {
  file: string;
  /** The folder that it is about, with a slash at its end; empty for all. */
  below: string;
  /** Whether a file of that folder may be meant. */
  matches(file: string): boolean;
  /** Whatever may be meant is: patterns are read without their finer rules. */
  isExact: boolean;
  values: FrontMatter;
  /** Why none of these texts is public. */
  why?: string;
  /** Reason to import these texts as drafts unless front matter or a data file states that they are public. */
  unlessPublic?: string;
  /** In which of these zones moments may be that name none. */
  zones?: readonly Zone[];
  /** Names of the time zones that the file sets, as it writes them. */
  timeZones?: readonly string[];
  /** Names that stand for a usual one, where a text has them. */
  renames?: { usual: string; own: readonly string[] };
  /** Of those about one folder the highest is the closest. */
  rank: number;
}

export function folderOf(name: string): string {
  const folder = path.posix.dirname(name);
  return folder === '.' ? '' : `${folder}/`;
}

/** A path as settings write it: without what stands for their own folder, and without slashes at its end. */
export const plainPath = (path: string) => withoutEnding(path.trim().replace(/^[./]+/, ''), '/');

/** The folder at such a path, with a slash at its end: `below` itself, if it names none. */
export function folderAt(below: string, path: string): string {
  const plain = plainPath(path);
  return plain === '' ? below : `${below}${plain}/`;
}

/** The innermost of these folders that a file is in; null for one that is in none. */
export const closestFolder = (name: string, folders: ReadonlySet<string>): string | null =>
  ['', ...around(folderOf(name))].findLast((folder) => folders.has(folder)) ?? null;

/** What a file says of all that is in its folder, as far as `about` doesn't say otherwise. */
export const setting = (name: string, about: Partial<Setting>): Setting => ({
  ...{ file: name, below: folderOf(name), matches: () => true, isExact: true, values: new Map(), rank: 0 },
  ...about,
});

/** What is said of all below that isn't in this folder. */
export const outsideOf = (name: string, below: string, inside: string): Setting =>
  setting(name, {
    below,
    matches: (file) => !file.startsWith(inside),
    why: `${name} publishes only files in ${inside}`,
  });

/** Files at a pattern, and below it. */
export const leftOutAt = ({ name, below }: { name: string; below: string }, pattern: string): Setting =>
  setting(name, { below, ...atOrBelow(below, pattern), why: `${name} excludes this file from the old site` });

/** Settings in a form that cannot be read may hide every text below. */
export const unreadable = (name: string, below: string): Setting =>
  setting(name, { below, why: `${name} may hide it and cannot be read` });

/** Programs are not run, and any of them may hide texts. */
export const unreadProgram = (name: string, about: Partial<Setting> = {}): Setting =>
  setting(name, {
    unlessPublic: `${name} may hide it and was not run, and no other setting states that it is public`,
    ...about,
  });

/** Reads a settings file in the format of its extension. A file that cannot be read hides every text below `below`. */
export function parsedSettings(
  { name, text }: SettingsFile,
  read: (values: FrontMatter) => Setting[],
  below = folderOf(name),
): Setting[] {
  // An empty file stands for one whose content was left behind.
  const values = text === '' ? null : parseMatter(text, path.posix.extname(name).slice(1).toLowerCase());
  return values === null ? [unreadable(name, below)] : read(values);
}

export const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

export const textsOf = (value: unknown): string[] => listOf(value).filter((each) => typeof each === 'string');

/** Most alternatives in a pattern that are told apart. */
const mostAlternatives = 50;

/** Compiles a pattern of paths with `*` and `{a,b}` that matches in linear time. Other rules match whatever follows them. */
export function pathPattern(pattern: string): Pick<Setting, 'matches' | 'isExact'> {
  const [, before = '', choice, after = ''] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(pattern) ?? [];
  const choices = choice?.split(',') ?? [];
  const each =
    choices.length === 0 || choices.length > mostAlternatives
      ? [plainPattern(pattern)]
      : choices.map((one) => plainPattern(`${before}${one}${after}`));
  return {
    isExact: each.every(({ isExact }) => isExact),
    matches: (at) => each.some(({ matches }) => matches(at)),
  };
}

/** Files in a folder that are at a path, which may have a pattern, or below it. */
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
  // `**/` stands for no folder, too.
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
