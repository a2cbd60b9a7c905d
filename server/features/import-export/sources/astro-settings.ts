import { globOf } from './glob.ts';
import { leftOutAt, textWithoutRemarks, unreadableProgram } from './programs.ts';
import {
  closestFolder,
  folderAt,
  folderOf,
  type Setting,
  type SettingsFile,
  type SettingsReader,
  setting,
} from './setting.ts';

/** Settings of Astro's collections, in the folder of its sources. */
const collections = /(?:^|\/)content(?:\/config|\.config)\.[cm]?[jt]s$/;

const config = /(?:^|\/)astro\.config\.[cm]?[jt]s$/;

/**
 * What reads Astro's settings: of the folder itself, and of its collections. Texts are pages of its sources, or what a
 * collection takes: from `src/content`, or what its `glob` names.
 */
export function astroSettings(names: ReadonlySet<string>) {
  const sites = new Set([...names].filter((name) => config.test(name)).map(folderOf));
  /** The folder of the site whose collections are set there; null where they are those of another program. */
  const rootOf = (name: string): string | null =>
    /^(?:.*\/)?(?=src\/content(?:\/|\.))/.exec(name)?.[0] ?? closestFolder(name, sites);
  const withCollections = new Set([...names].filter((name) => collections.test(name)).map(rootOf));
  return (name: string): SettingsReader | null => {
    if (config.test(name)) return withCollections.has(folderOf(name)) ? () => [] : siteSettings;
    const root = collections.test(name) ? rootOf(name) : null;
    return root === null ? null : (file) => collectionSettings(file, root);
  };
}

/** A site without settings of collections: each folder of `src/content` is one. */
function siteSettings({ name, text }: SettingsFile): Setting[] {
  const root = folderOf(name);
  const plain = textWithoutRemarks(text);
  if (plain === null) return [unreadableProgram(name)];
  const [, given] = /\bsrcDir['"]?\s{0,9}:\s{0,9}['"`]([^'"`\n]{1,500})['"`]/.exec(plain) ?? [];
  const sources = folderAt(root, given ?? 'src');
  return [
    outside(name, root, (file) =>
      ['pages/', 'content/'].some((each) => file.startsWith(`${sources}${each}`)),
    ),
  ];
}

const outside = (name: string, root: string, isShown: (file: string) => boolean) =>
  setting(name, {
    below: root,
    matches: (file) => !isShown(file),
    why: `${name} names no collection that it is in`,
  });

const hiddenUnlessSaid =
  /\b(?:(?:draft|private|hidden|unlisted)\b[^,;]{0,200}\.default\(\s{0,9}true|publish(?:ed)?\b[^,;]{0,200}\.default\(\s{0,9}false)/i;

function collectionSettings({ name, text }: SettingsFile, root: string): Setting[] {
  const plain = textWithoutRemarks(text);
  if (plain === null) return [unreadableProgram(name)];
  const sources = folderOf(name).replace(/(?<=^|\/)content\/$/, '');
  const loaders = globsIn(plain, root);
  const count = (pattern: RegExp) => [...plain.matchAll(pattern)].length;
  const hasOwnFolders =
    count(/\bdefineCollection\s{0,9}\(/g) > count(/\bloader\b['"]?\s{0,9}[:,}]/g) ||
    /\btype['"]?\s{0,9}:\s{0,9}['"`]content['"`]/.test(plain);
  const isShown = (file: string) =>
    file.startsWith(`${sources}pages/`) ||
    (hasOwnFolders && file.startsWith(`${sources}content/`)) ||
    (/\bdocsLoader\s{0,9}\(/.test(plain) && file.startsWith(`${sources}content/docs/`)) ||
    loaders.some((isTaken) => isTaken(file));
  const negated = plain.matchAll(/['"`]!([^'"`\n]{1,500})['"`]/g).map(([, pattern = '']) => pattern);
  return [
    outside(name, root, isShown),
    ...(hiddenUnlessSaid.test(plain)
      ? [setting(name, { below: root, values: new Map([['draft', true]]) })]
      : []),
    ...[...negated].map((pattern) => leftOutAt({ name, below: root }, `**/${pattern}`)),
  ];
}

/** What a collection takes by `glob`: all that its patterns surely name, below its folder. What a program makes of them is not known. */
function globsIn(text: string, root: string): ((file: string) => boolean)[] {
  const calls = text.matchAll(
    /\bglob\s{0,9}\(\s{0,9}\{([^{}]{0,300}(?:\{[^{}]{0,100}\}[^{}]{0,300}){0,5})\}/g,
  );
  return [...calls].map(([, given = '']) => {
    const [, base = /\bbase\b/.test(given) ? null : ''] =
      /\bbase['"]?\s{0,9}:\s{0,9}['"`]([^'"`\n$]{1,300})['"`]/.exec(given) ?? [];
    const globs = patternsIn(given).map((pattern) => globOf(pattern));
    const folder = folderAt(root, base ?? '');
    return (file) =>
      base !== null &&
      file.startsWith(folder) &&
      globs.some((glob) => glob.matches(file.slice(folder.length)));
  });
}

const literal = /['"`]([^'"`\n$]{1,300})['"`]/g;

/** What `pattern` names; nothing where it is more than texts, since that may leave something out. */
function patternsIn(given: string): string[] {
  const [, listed = ''] =
    /\bpattern['"]?\s{0,9}:\s{0,9}((?:\[[^'"`\]]{0,50}(?:['"`][^'"`\n]{0,300}['"`][^'"`\]]{0,50}){0,20}\])|['"`][^'"`\n]{1,300}['"`])/.exec(
      given,
    ) ?? [];
  if (/[^[\],\s]/.test(listed.replace(literal, ''))) return [];
  return [...listed.matchAll(literal)]
    .map(([, pattern = '']) => pattern)
    .filter((one) => !one.startsWith('!'));
}
