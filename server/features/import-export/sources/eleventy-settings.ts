import path from 'node:path';
import { configSettings, isConfig, scriptSettings } from './eleventy-config.ts';
import { leftOutAt } from './programs.ts';
import { isOfPublication } from './publication-names.ts';
import {
  closestFolder,
  folderOf,
  parsedSettings,
  plainPath,
  type Setting,
  type SettingsFile,
  type SettingsReader,
  setting,
} from './setting.ts';

/** What reads a file of Eleventy's data, of a folder or of one text, or its list of what is left out. */
export function eleventySettings(names: ReadonlySet<string>) {
  const sites = new Set([...names].filter(isConfig).map(folderOf));
  return (name: string): SettingsReader | null => {
    if (/(?:^|\/)\.eleventyignore$/.test(name)) return ignoreSettings;
    if (/(?:^|\/)package\.json$/.test(name)) return scriptSettings;
    const site = isProgram(name) ? closestFolder(name, sites) : null;
    if (site !== null) return (file) => configSettings(file, site);
    // Eleventy leaves out what git does.
    if (/(?:^|\/)\.gitignore$/.test(name) && sites.has(folderOf(name))) return gitIgnoreSettings;
    return dataReader(name, names);
  };
}

/** A program that settings may be a part of, rather than data of texts. */
const isProgram = (name: string) => /\.[cm]?[jt]s$/.test(name) && !/\.11tydata\.|(?:^|\/)_data\//.test(name);

function dataReader(name: string, names: ReadonlySet<string>): SettingsReader | null {
  const [, root, given = '', form] = /^(.*?)_data\/([\w-]+)\.(json|[cm]?js)$/.exec(name) ?? [];
  if (root !== undefined && (given === 'eleventyComputed' || isOfPublication(given)))
    return (file) =>
      form === 'json' ? globalSettings(file, { below: root, given }) : programSettings(file, { below: root });
  const [, plain, ending] = /^(.+?)(?:\.11tydata)?\.(json|[cm]?js)$/.exec(name) ?? [];
  if (plain === undefined || (ending !== 'json' && !name.includes('.11tydata.'))) return null;
  const isOfFolder = path.posix.basename(plain) === path.posix.basename(path.posix.dirname(plain));
  const text = ['.md', '.markdown', '.mdx'].map((each) => `${plain}${each}`).find((each) => names.has(each));
  if (!isOfFolder && text === undefined) return null;
  const about = { rank: isOfFolder ? 0 : 1, matches: (file: string) => isOfFolder || file === text };
  return (file) => (ending === 'json' ? dataSettings : programSettings)(file, about);
}

/** A file of data for all texts is called as what it says. */
const globalSettings = ({ name, text }: SettingsFile, { below, given }: { below: string; given: string }) =>
  parsedSettings({ name, text: `{"${given}":${text}}` }, (values) => [
    setting(name, { below, values, rank: -1 }),
  ]);

const dataSettings = (file: SettingsFile, about: Partial<Setting>) =>
  parsedSettings(file, (values) => [setting(file.name, { ...about, values })]);

/** Names by which a program can say that a text is nobody's to read. */
const hiding =
  /\b(?:draft|private|hidden|unpublished|published?|public|permalink|status|visibility|password|eleventyExcludeFromCollections|unlisted)\b/;

/** Programs of others are not run. One that may hide texts does. */
const programSettings = ({ name, text }: SettingsFile, about: Partial<Setting>) => [
  setting(name, {
    ...about,
    ...(hiding.test(text)
      ? { why: `${name} is a program that may hide it, and was not run` }
      : { note: `${name} is a program, which was not run` }),
  }),
];

const linesOf = (text: string) =>
  text.split('\n').filter((line) => plainPath(line) !== '' && !/^\s*[#!]/.test(line));

const ignoreSettings = ({ name, text }: SettingsFile): Setting[] =>
  linesOf(text).map((line) => leftOutAt({ name, below: folderOf(name) }, plainPath(line)));

/** To git a name without a slash before its end is meant in every folder. */
const gitIgnoreSettings = ({ name, text }: SettingsFile): Setting[] =>
  linesOf(text).map((line) => {
    const anywhere = /\/(?!\s*$)/.test(line) ? '' : '**/';
    return leftOutAt({ name, below: folderOf(name) }, `${anywhere}${plainPath(line)}`);
  });
