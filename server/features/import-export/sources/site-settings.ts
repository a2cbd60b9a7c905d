import { astroSettings } from './astro-settings.ts';
import { eleventySettings } from './eleventy-settings.ts';
import { type FileTree, publishFile, textOf } from './file-tree.ts';
import type { FrontMatter } from './front-matter.ts';
import { mayHide } from './front-matter-publication.ts';
import { hugoSettings } from './hugo-settings.ts';
import { jekyllSettings } from './jekyll-settings.ts';
import { anyZone, type Zone } from './moments.ts';
import { obsidianSettings } from './obsidian-settings.ts';
import { type Setting, type SettingsReader, setting } from './setting.ts';

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

interface FolderSettings {
  settings: SiteSettings;
  /** Time zone that a settings file names, by the file's name. */
  timeZones: ReadonlyMap<string, string>;
}

/** Most settings that are told apart: of a folder with more, nothing is public. */
const mostSettings = 500;

/** Each is told of all names once, and finds by that what reads a file. */
const generators = [hugoSettings, jekyllSettings, eleventySettings, astroSettings, obsidianSettings];

/** Reads what the files of a folder say of others, before these are read. */
export async function readSettings(tree: FileTree, now: Date): Promise<FolderSettings> {
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
    settings: (file, own) => withSettings({ file, own }, ranked, now),
    timeZones: new Map(settings.flatMap(({ file, timeZones = [] }) => timeZones.map((name) => [file, name]))),
  };
}

/** Files that programs keep, but not those by which a generator is told what to leave out. */
const isForTools = (name: string) =>
  !publishFile.test(name) && /(?:^|\/)(?:\.[^/]*|node_modules|__MACOSX)\//.test(name);

function withSettings(
  { file, own }: { file: string; own: FrontMatter },
  settings: readonly Setting[],
  now: Date,
): WholeMatter {
  const about = settings.filter(({ below, matches }) => file.startsWith(below) && matches(file));
  const named = about.flatMap(({ zones = [] }) => zones);
  const zones = named.length > 0 ? named : anyZone;
  const matter = new Map<string, unknown>();
  const from = new Map<string, string>();
  for (const { values, isExact, file: settings } of about)
    for (const [name, value] of values) {
      // What may not be about this file can hide it, and do no more.
      if (!isExact && !mayHide(name, value, { now, zones })) continue;
      add(matter, name, { value, isAdded: from.get(name)?.endsWith('.json') });
      from.set(name, settings);
    }
  for (const [name, value] of own) {
    add(matter, name, { value, isAdded: from.get(name)?.endsWith('.json') });
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
function add(
  matter: Map<string, unknown>,
  name: string,
  { value, isAdded = false }: { value: unknown; isAdded: boolean | undefined },
) {
  const before = matter.get(name);
  matter.set(name, name === 'tags' && isAdded ? [before ?? [], value ?? []].flat() : value);
}
