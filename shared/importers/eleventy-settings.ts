import path from 'node:path';
import { parseValues } from './front-matter.ts';
import { isOfPublication } from './front-matter-publication.ts';
import {
  excludedAt,
  folderOf,
  parsedSettings,
  plainPath,
  type Setting,
  type SettingsFile,
  type SettingsReader,
  setting,
  unreadable,
  unreadProgram,
} from './publication-setting.ts';

const config = /(?:^|\/)(?:\.eleventy|eleventy\.config)\.[cm]?[jt]s$/;

/** JavaScript or TypeScript file below a `_data` folder. It sets data for all texts in the folder around `_data`. */
const globalProgram = /^(.*?)_data\/.+\.[cm]?[jt]s$/;

/**
 * Returns a function that finds the reader of one of Eleventy's ignore files or data files; null for other files. Its
 * programs are not run: see `unreadProgram`.
 */
export function eleventySettings(names: ReadonlySet<string>) {
  const sites = new Set([...names].filter((name) => config.test(name)).map(folderOf));
  return (name: string): SettingsReader | null => {
    if (/(?:^|\/)\.eleventyignore$/.test(name)) return ignoreSettings;
    if (/(?:^|\/)package\.json$/.test(name)) return scriptSettings;
    if (config.test(name)) return () => [unreadProgram(name)];
    // Eleventy ignores the files that git ignores.
    if (/(?:^|\/)\.gitignore$/.test(name) && sites.has(folderOf(name))) return gitIgnoreSettings;
    const [, root] = globalProgram.exec(name) ?? [];
    return root === undefined ? dataReader(name, names) : () => [unreadProgram(name, { below: root })];
  };
}

function dataReader(name: string, names: ReadonlySet<string>): SettingsReader | null {
  const [, root, given = ''] = /^(.*?)_data\/([\w-]+)\.(?:json|ya?ml)$/.exec(name) ?? [];
  if (root !== undefined && (given === 'eleventyComputed' || isOfPublication(given)))
    return (file) => globalSettings(file, { below: root, given });
  const [, plain, ending = ''] = /^(.+?)(?:\.11tydata)?\.(json|ya?ml|[cm]?[jt]s)$/.exec(name) ?? [];
  const isProgram = /^[cm]?[jt]s$/.test(ending);
  if (plain === undefined || (isProgram && !name.includes('.11tydata.'))) return null;
  const isOfFolder = path.posix.basename(plain) === path.posix.basename(path.posix.dirname(plain));
  const text = ['.md', '.markdown', '.mdx'].map((each) => `${plain}${each}`).find((each) => names.has(each));
  if (!isOfFolder && text === undefined) return null;
  const about = { rank: isOfFolder ? 0 : 1, matches: (file: string) => isOfFolder || file === text };
  return isProgram ? () => [unreadProgram(name, about)] : (file) => dataSettings(file, about);
}

/**
 * Returns settings for all texts in the folder around `_data`: the data of a file there, as a field with the name of the
 * file.
 */
function globalSettings({ name, text }: SettingsFile, { below, given }: { below: string; given: string }) {
  const value = text === '' ? undefined : parseValues(text, path.posix.extname(name).slice(1).toLowerCase());
  if (value === undefined) return [unreadable(name, below)];
  return [setting(name, { below, values: new Map([[given.toLowerCase(), value]]), rank: -1 })];
}

const dataSettings = (file: SettingsFile, about: Partial<Setting>) =>
  parsedSettings(file, (values) => [setting(file.name, { ...about, values })]);

/** Reads a `package.json`. Its scripts may call Eleventy with another input folder or configuration file. */
const scriptSettings = ({ name, text }: SettingsFile): Setting[] =>
  /\beleventy\b[^"&|;]{0,200}--(?:input|config)\b/.test(text.slice(0, 200_000)) ? [unreadProgram(name)] : [];

const linesOf = (text: string) =>
  text
    .normalize('NFC')
    .split('\n')
    .filter((line) => plainPath(line) !== '' && !/^\s*[#!]/.test(line));

const ignoreSettings = ({ name, text }: SettingsFile): Setting[] =>
  linesOf(text).map((line) => excludedAt({ name, below: folderOf(name) }, plainPath(line)));

/** Reads a `.gitignore`. Git matches a pattern without an inner slash in every folder. */
const gitIgnoreSettings = ({ name, text }: SettingsFile): Setting[] =>
  linesOf(text).map((line) => {
    const anywhere = /\/(?!\s*$)/.test(line) ? '' : '**/';
    return excludedAt({ name, below: folderOf(name) }, `${anywhere}${plainPath(line)}`);
  });
