import { type FrontMatter, matterOf, readFrontMatter } from './front-matter.ts';
import { mountedContent, notPages, ownDateNames, switchedOff } from './hugo-content.ts';
import { zonesOf } from './moments.ts';
import { hugoLanguages } from './old-addresses.ts';
import {
  folderOf,
  listOf,
  parsedSettings,
  pathPattern,
  type Setting,
  type SettingsFile,
  type SettingsReader,
  setting,
  textsOf,
} from './setting.ts';

const section = /(?:^|\/)_index(?:\.[\w-]+)?\.(?:md|markdown)$/i;
const config =
  /(?:^|\/)(?:(?:hugo|config)|config\/[^/]+\/(?:hugo|config|cascade|frontmatter|languages|module|permalinks)(?:\.[\w-]+)?)\.(?:toml|ya?ml|json)$/i;

/** A file of one part of the settings, by its name. */
const part = /\/config\/[^/]+\/(cascade|frontmatter|languages|module|permalinks)\b[^/]*$/i;

/** What reads a file of Hugo's settings: `cascade` says something of all pages below, in a section or for the whole site. */
export const hugoSettings =
  (names: ReadonlySet<string>) =>
  (name: string): SettingsReader | null => {
    if (section.test(name)) return sectionSettings;
    return config.test(name) ? (file) => configSettings(file, names) : null;
  };

function sectionSettings({ name, text }: SettingsFile): Setting[] {
  const { matter, problem } = readFrontMatter(text);
  if (problem !== undefined)
    return [setting(name, { why: `${name} may hide it and has front matter that cannot be read` })];
  const [content = ''] = /^(?:.*?\/)?content\//.exec(name) ?? [];
  return cascades(name, matter.get('cascade'), { below: folderOf(name), content });
}

function configSettings(file: SettingsFile, names: ReadonlySet<string>): Setting[] {
  const { name } = file;
  const root = folderOf(name).replace(/(^|\/)config\/[^/]+\/$/, '$1');
  const settings = (read: FrontMatter): Setting[] => {
    const [, own] = part.exec(`/${name}`) ?? [];
    const values = own === undefined ? read : new Map([[own.toLowerCase(), Object.fromEntries(read)]]);
    const content = mountedContent(values, root);
    const [first = `${root}content/`] = content.map(({ source }) => source);
    const ignored = textsOf(values.get('ignorefiles')).map((pattern) =>
      setting(name, {
        below: root,
        matches: (file) => file.includes(longestPlainPart(pattern)),
        why: `${name} excludes this file from the old site`,
      }),
    );
    const languages = [...matterOf(values.get('languages')).values()].map(matterOf);
    const timeZones = [values, ...languages].map((each) => each.get('timezone'));
    const shown = [
      setting(name, { below: root, values: new Map([['baseurl', values.get('baseurl')]]) }),
      setting(name, { below: root, values: new Map([[hugoLanguages, prefixesOf(values)]]) }),
      setting(name, { below: root, zones: zonesOf(timeZones), timeZones: timeZones.flatMap(textsOf) }),
      ...permalinks(name, first, values.get('permalinks')),
    ];
    // Only Hugo's settings are called so, or have these names; others' are called `config`, too.
    const isHugo = values.has('baseurl') || values.has('module') || /(?:^|\/)hugo\.\w+$/i.test(name);
    return [
      ...content.flatMap(({ source }) =>
        cascades(name, values.get('cascade'), { below: source, content: source }),
      ),
      ...ignored,
      ...(isHugo ? notPages(name, { root, content, names }) : []),
      ...switchedOff(name, values, root),
      ...ownDateNames(name, values, root),
      ...shown,
    ];
  };
  return parsedSettings(file, settings, root);
}

/** What the addresses of each language begin with. */
function prefixesOf(values: FrontMatter) {
  const [usual = 'en'] = textsOf(values.get('defaultcontentlanguage'));
  const isBare = (code: string) =>
    code === usual.toLowerCase() && values.get('defaultcontentlanguageinsubdir') !== true;
  const codes = [...matterOf(values.get('languages')).keys()];
  return Object.fromEntries(codes.map((code) => [code, isBare(code) ? '' : `/${code}`]));
}

/** Where pages of sections are shown, by section; in later versions by kind before that. */
function permalinks(name: string, content: string, value: unknown): Setting[] {
  const given = matterOf(value);
  const sections = new Map([...given, ...matterOf(given.get('page'))]);
  return [...sections].flatMap(([section, pattern]) =>
    typeof pattern !== 'string'
      ? []
      : setting(name, {
          below: `${content}${section.replace(/^\/|\/$/g, '')}/`,
          matches: (file) => !/\/_index\.\w+$/.test(file),
          values: new Map([['url', pattern]]),
          rank: -1,
        }),
  );
}

/** Of a regular expression, a part that it finds as it is: what has not that is not meant. */
const longestPlainPart = (pattern: string) =>
  pattern
    .replace(/\\([./-])/g, '$1')
    .split(/\[[^\]]*\][?*+]?|\([^)]*\)[?*+]?|.[?*{]|[\\^$+|()[\]{}]/)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '');

function cascades(
  name: string,
  value: unknown,
  { below, content }: { below: string; content: string },
): Setting[] {
  return listOf(value).map((each) => {
    const { target, _target, params, ...values } = Object.fromEntries(matterOf(each));
    const { path, ...others } = Object.fromEntries(matterOf(target ?? _target));
    const [pattern] = textsOf(path);
    const { matches, isExact } = pathPattern(pattern?.toLowerCase() ?? '**');
    return setting(name, {
      below,
      matches: (file) => matches(pageOf(file.slice(content.length))),
      isExact: isExact && Object.keys(others).length === 0,
      values: new Map([...matterOf(params), ...matterOf(values)]),
    });
  });
}

/** The path by which Hugo knows a page. */
const pageOf = (file: string) =>
  `/${file.replace(/(?:^|\/)_?index(?:\.[\w-]+)?\.\w+$|\.\w+$/, '')}`.toLowerCase();
