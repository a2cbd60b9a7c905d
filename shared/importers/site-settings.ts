import { eleventySettings } from './eleventy-settings.ts';
import { type FileTree, publishFile, textOf } from './file-tree.ts';
import type { FrontMatter } from './front-matter.ts';
import { mayHide, type WholeMatter } from './front-matter-publication.ts';
import { hugoSettings } from './hugo-settings.ts';
import { jekyllSettings } from './jekyll-settings.ts';
import { anyZone } from './parse-time.ts';
import {
  closestFolder,
  folderOf,
  parsedSettings,
  plainPath,
  type Setting,
  type SettingsFile,
  type SettingsReader,
  setting,
  textsOf,
  unreadProgram,
} from './publication-setting.ts';

/** Returns the front matter of a file with the fields that other files set. */
export type SiteSettings = (file: string, own: FrontMatter) => WholeMatter;

/** Maximum number of settings. In a folder with more, nothing becomes public. */
const maxSettings = 500;

/**
 * Reads all settings files of a folder. `timeZones` has the time zones that they set, by file. In a folder with too
 * many settings, nothing becomes public.
 */
export async function readSettings(
  tree: FileTree,
  now: Date,
): Promise<{ settings: SiteSettings; timeZones: ReadonlyMap<string, string> }> {
  const names = new Set(tree.files.map(({ name }) => name));
  const readers = generators.map((generator) => generator(names));
  const wanted = new Map<string, SettingsReader>();
  for (const name of names) {
    const read = isForTools(name) ? null : readers.map((readerOf) => readerOf(name)).find(Boolean);
    if (read) wanted.set(name, read);
  }
  const settings: Setting[] = [];
  for await (const file of tree.read(new Set(wanted.keys()))) {
    const { name } = file;
    const read = await textOf(file);
    if (read) settings.push(...(wanted.get(name)?.({ name, text: read.text }) ?? []));
    else settings.push(setting(name, { why: `${name} may hide it and is too large to be read` }));
    if (settings.length <= maxSettings) continue;
    settings.push(
      setting(name, {
        below: '',
        why: `the folder has more than ${maxSettings} settings, and any of them may hide it`,
      }),
    );
    break;
  }
  const ranked = settings.toSorted((a, b) => a.below.length - b.below.length || a.rank - b.rank);
  return {
    settings: (file, own) => withSettings(file, own, ranked, now),
    timeZones: new Map(settings.flatMap(({ file, timeZones = [] }) => timeZones.map((name) => [file, name]))),
  };
}

/** True for files in folders of tools, such as `.git` and `node_modules`, except Obsidian's publish settings. */
const isForTools = (name: string) =>
  !publishFile.test(name) && /(?:^|\/)(?:\.[^/]*|node_modules|__MACOSX)\//.test(name);

function withSettings(file: string, own: FrontMatter, settings: readonly Setting[], now: Date): WholeMatter {
  const about = settings.filter(({ below, matches }) => file.startsWith(below) && matches(file));
  const named = about.flatMap(({ zones = [] }) => zones);
  const zones = named.length > 0 ? named : anyZone;
  const matter = new Map<string, unknown>();
  const from = new Map<string, string>();
  for (const { values, isExact, file: settings } of about)
    for (const [name, value] of values) {
      // It is unknown whether an inexact pattern matches this file. So its settings apply only if they hide the text.
      if (!isExact && !mayHide(name, value, { now, zones })) continue;
      add(matter, name, value, from.get(name)?.endsWith('.json'));
      from.set(name, settings);
    }
  for (const [name, value] of own) {
    add(matter, name, value, from.get(name)?.endsWith('.json'));
    from.delete(name);
  }
  for (const { renames } of about) {
    const found = renames?.own.find((name) => matter.has(name));
    if (renames && found !== undefined) matter.set(renames.usual, matter.get(found));
  }
  return {
    matter,
    from,
    zones,
    why: about.findLast(({ why }) => why !== undefined)?.why ?? null,
    unlessPublic: about.findLast((each) => each.unlessPublic !== undefined)?.unlessPublic ?? null,
  };
}

/** Sets a field. Eleventy adds a text's tags to those of its data files; other fields are replaced. */
function add(matter: Map<string, unknown>, name: string, value: unknown, isAdded = false) {
  const before = matter.get(name);
  matter.set(name, name === 'tags' && isAdded ? [before ?? [], value ?? []].flat() : value);
}

/**
 * Reads the folders that an Obsidian vault never publishes. Included folders are ignored, because they do not publish
 * their notes.
 */
const obsidianSettings = () => (name: string) => (publishFile.test(name) ? publishSettings : null);

const publishSettings = (file: SettingsFile): Setting[] => {
  const below = folderOf(file.name).replace(/\.obsidian\/$/, '');
  const read = parsedSettings(file, (values) =>
    textsOf(values.get('excluded')).map((path) =>
      setting(file.name, {
        matches: (note) => isAt(note.slice(below.length), path),
        why: `${file.name} excludes this file from the old site`,
      }),
    ),
  );
  // The settings file is in `.obsidian`, and applies to the folder around it.
  return read.map((each) => ({ ...each, below }));
};

/** Returns whether a note is at a path or below it. */
function isAt(note: string, path: string): boolean {
  const plain = plainPath(path).toLowerCase();
  const own = note.toLowerCase();
  return plain === '' || own === plain || own === `${plain}.md` || own.startsWith(`${plain}/`);
}

/** Names of the program files that define Astro's collections. */
const collections = /(?:^|\/)content(?:\/config|\.config)\.[cm]?[jt]s$/;

const config = /(?:^|\/)astro\.config\.[cm]?[jt]s$/;

/**
 * Returns a function that finds the reader of one of Astro's settings files; null for other files. These programs are not
 * run.
 */
function astroSettings(names: ReadonlySet<string>) {
  const sites = new Set([...names].filter((name) => config.test(name)).map(folderOf));
  /** Returns the root of the site whose collections a file defines; null for a file of another program. */
  const rootOf = (name: string): string | null =>
    /^(?:.*\/)?(?=src\/content(?:\/|\.))/.exec(name)?.[0] ?? closestFolder(name, sites);
  const withCollections = new Set([...names].filter((name) => collections.test(name)).map(rootOf));
  return (name: string): SettingsReader | null => {
    if (config.test(name)) return withCollections.has(folderOf(name)) ? () => [] : siteSettings;
    const below = collections.test(name) ? rootOf(name) : null;
    return below === null ? null : () => [unreadProgram(name, { below })];
  };
}

/** Returns settings for Astro's default content folders. An empty file may be one whose content was not sent. */
function siteSettings({ name, text }: SettingsFile): Setting[] {
  if (text === '' || text.includes('srcDir')) return [unreadProgram(name)];
  const sources = `${folderOf(name)}src/`;
  const isShown = (file: string) =>
    ['pages/', 'content/'].some((each) => file.startsWith(`${sources}${each}`));
  return [
    setting(name, {
      matches: (file) => !isShown(file),
      why: `Astro publishes only files in ${sources}pages/ and ${sources}content/`,
    }),
  ];
}

/**
 * Readers of settings by generator. Each receives the names of all files, and returns a function that finds the reader
 * of a file, or null.
 */
const generators = [hugoSettings, jekyllSettings, eleventySettings, astroSettings, obsidianSettings];
