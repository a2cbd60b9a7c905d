import { eleventySettings } from './eleventy-settings.ts';
import { type FileTree, publishFile, textOf } from './file-tree.ts';
import type { FrontMatter } from './front-matter.ts';
import { mayHide } from './front-matter-publication.ts';
import { hugoSettings } from './hugo-settings.ts';
import { jekyllSettings } from './jekyll-settings.ts';
import { anyZone, type Zone } from './moments.ts';
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
} from './setting.ts';

/** Front matter with what other files add to it. */
interface WholeMatter {
  matter: FrontMatter;
  /** Which file says what the text doesn't say itself. */
  from: ReadonlyMap<string, string>;
  /** Why it is not public, as another file says. */
  why: string | null;
  /** Reason for a draft unless the matter states that the text is public. */
  unlessPublic: string | null;
  /** In which of these its moments may be that name no zone. */
  zones: readonly Zone[];
}

/** The front matter of a file with what other files of its folder say of it. */
export type SiteSettings = (file: string, own: FrontMatter) => WholeMatter;

/** Most settings that are told apart: of a folder with more, nothing is public. */
const mostSettings = 500;

/** Reads the settings that files of a folder contain for others. `timeZones` has the time zones that files set, by file. */
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
    if (settings.length <= mostSettings) continue;
    settings.push(
      setting(name, {
        below: '',
        why: `the folder has more than ${mostSettings} settings, and any of them may hide it`,
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

/** Files that programs keep, but not those by which a generator is told what to leave out. */
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
      // What may not be about this file can hide it, and do no more.
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

/** Tags of a text are added to those that Eleventy's data give it; all else stands instead. */
function add(matter: Map<string, unknown>, name: string, value: unknown, isAdded = false) {
  const before = matter.get(name);
  matter.set(name, name === 'tags' && isAdded ? [before ?? [], value ?? []].flat() : value);
}

/** Reads the folders of an Obsidian vault that are never published. Included folders do not publish their notes. */
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
  // It stands in a folder for tools, and is about the one around that.
  return read.map((each) => ({ ...each, below }));
};

/** Whether a note is at a path, or in the folder of that path. */
function isAt(note: string, path: string): boolean {
  const plain = plainPath(path).toLowerCase();
  const own = note.toLowerCase();
  return plain === '' || own === plain || own === `${plain}.md` || own.startsWith(`${plain}/`);
}

/** Program that defines Astro's collections. */
const collections = /(?:^|\/)content(?:\/config|\.config)\.[cm]?[jt]s$/;

const config = /(?:^|\/)astro\.config\.[cm]?[jt]s$/;

/** Returns the readers of Astro's settings, which say in which folders its texts are. Programs are not interpreted. */
function astroSettings(names: ReadonlySet<string>) {
  const sites = new Set([...names].filter((name) => config.test(name)).map(folderOf));
  /** Folder of the site whose collections a file defines; null for a file of another program. */
  const rootOf = (name: string): string | null =>
    /^(?:.*\/)?(?=src\/content(?:\/|\.))/.exec(name)?.[0] ?? closestFolder(name, sites);
  const withCollections = new Set([...names].filter((name) => collections.test(name)).map(rootOf));
  return (name: string): SettingsReader | null => {
    if (config.test(name)) return withCollections.has(folderOf(name)) ? () => [] : siteSettings;
    const below = collections.test(name) ? rootOf(name) : null;
    return below === null ? null : () => [unreadProgram(name, { below })];
  };
}

/** Without other settings, Astro's texts are in two folders. An empty file is one whose content was not sent. */
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

/** Settings of each program. Each receives the names of all files once and returns the reader of a file, or null. */
const generators = [hugoSettings, jekyllSettings, eleventySettings, astroSettings, obsidianSettings];
