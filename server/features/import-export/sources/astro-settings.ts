import { globOf } from './glob.ts';
import { leftOutAt, textWithoutRemarks, unreadableProgram } from './programs.ts';
import { folderOf, type Setting, type SettingsFile, setting } from './setting.ts';

/** Settings of Astro's collections, in the folder of its sources. */
const collections = /(?:^|\/)content(?:\/config|\.config)\.[cm]?[jt]s$/;

const config = /(?:^|\/)astro\.config\.[cm]?[jt]s$/;

/**
 * What reads Astro's settings: of the folder itself, and of its collections. Texts are pages of its sources, or what a
 * collection takes: from `src/content`, or what its `glob` names.
 */
export function astroSettings(name: string, names: ReadonlySet<string>) {
  if (config.test(name)) return (file: SettingsFile) => siteSettings(file, names);
  const root = rootOf(name, names);
  return collections.test(name) && root !== null
    ? (file: SettingsFile) => collectionSettings(file, root)
    : null;
}

/** The folder of the site whose collections are set there; null where they are those of another program. */
function rootOf(name: string, names: ReadonlySet<string>): string | null {
  const [usual] = /^(?:.*\/)?(?=src\/content(?:\/|\.))/.exec(name) ?? [];
  const own = [...names].filter((other) => config.test(other) && name.startsWith(folderOf(other)));
  const [closest] = own.map(folderOf).sort((a, b) => b.length - a.length);
  return usual ?? closest ?? null;
}

/** A site without settings of collections: each folder of `src/content` is one. */
function siteSettings({ name, text }: SettingsFile, names: ReadonlySet<string>): Setting[] {
  const root = folderOf(name);
  if ([...names].some((other) => collections.test(other) && rootOf(other, names) === root)) return [];
  const plain = textWithoutRemarks(text);
  if (plain === null) return [unreadableProgram(name)];
  const [, given] = /\bsrcDir['"]?\s{0,9}:\s{0,9}['"`]([^'"`\n]{1,500})['"`]/.exec(plain) ?? [];
  const sources = `${root}${given?.replace(/^[./]+|\/+$/g, '') ?? 'src'}/`;
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
    const folder = `${root}${`${(base ?? '').replace(/^[./]+|\/+$/g, '')}/`.replace(/^\/$/, '')}`;
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
