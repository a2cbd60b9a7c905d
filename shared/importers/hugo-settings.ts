import { type FrontMatter, matterOf, readFrontMatter } from './front-matter.ts';
import { globOf } from './glob.ts';
import { zonesOf } from './parse-time.ts';
import {
  folderAt,
  folderOf,
  listOf,
  parsedSettings,
  pathPattern,
  plainPath,
  type Setting,
  type SettingsFile,
  type SettingsReader,
  setting,
  textsOf,
} from './publication-setting.ts';
import { hugoLanguages } from './source-paths.ts';

const section = /(?:^|\/)_index(?:\.[\w-]+)?\.(?:md|markdown)$/i;
const config =
  /(?:^|\/)(?:(?:hugo|config)|config\/[^/]+\/(?:hugo|config|cascade|frontmatter|languages|module|permalinks)(?:\.[\w-]+)?)\.(?:toml|ya?ml|json)$/i;

const part = /\/config\/[^/]+\/(cascade|frontmatter|languages|module|permalinks)\b[^/]*$/i;

/**
 * Returns a function that finds the reader of a Hugo settings file; null for other files. `cascade` sets fields for
 * all pages below, in a section or the whole site.
 */
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
    const ignored = textsOf(values.get('ignorefiles')).map((pattern) => {
      const parts = findLongestParts(pattern);
      return setting(name, {
        below: root,
        matches: (file) => parts.some((part) => file.includes(part)),
        why: `${name} excludes this file from the old site`,
      });
    });
    const languages = [...matterOf(values.get('languages')).values()].map(matterOf);
    const timeZones = [values, ...languages].map((each) => each.get('timezone'));
    const shown = [
      setting(name, { below: root, values: new Map([['baseurl', values.get('baseurl')]]) }),
      setting(name, { below: root, values: new Map([[hugoLanguages, prefixesOf(values)]]) }),
      setting(name, { below: root, zones: zonesOf(timeZones), timeZones: timeZones.flatMap(textsOf) }),
      ...permalinks(name, first, values.get('permalinks')),
    ];
    // Only Hugo has settings with these fields or this file name. Other programs also have a file called `config`.
    const isHugo = values.has('baseurl') || values.has('module') || /(?:^|\/)hugo\.\w+$/i.test(name);
    return [
      ...content.flatMap(({ source }) =>
        cascades(name, values.get('cascade'), { below: source, content: source }),
      ),
      ...ignored,
      ...(isHugo ? notPages(name, root, content, names) : []),
      ...switchedOff(name, values, root),
      ...ownDateNames(name, values, root),
      ...shown,
    ];
  };
  return parsedSettings(file, settings, root);
}

/** Path prefixes of a site's languages. */
function prefixesOf(values: FrontMatter) {
  const [usual = 'en'] = textsOf(values.get('defaultcontentlanguage'));
  const isBare = (code: string) =>
    code === usual.toLowerCase() && values.get('defaultcontentlanguageinsubdir') !== true;
  const codes = [...matterOf(values.get('languages')).keys()];
  return Object.fromEntries(codes.map((code) => [code, isBare(code) ? '' : `/${code}`]));
}

/** Returns settings with the URL patterns of pages by section. Later versions nest them by kind. */
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

/** Placeholder for an escaped dot of a regular expression, which stands for a dot. */
const plainDot = '\0';

/**
 * Returns the longest literal part of each alternative of a regular expression. A file name without any of them cannot
 * match. An empty part is in every name. It stands for patterns with nested groups, unclosed brackets or a flag for any
 * case.
 */
function findLongestParts(pattern: string): string[] {
  const flat = pattern
    .replace(/\\([./-])/g, (_, sign) => (sign === '.' ? plainDot : sign))
    .replace(/\\.|\[[^\]]{1,500}\]|\([^()]*\)/g, '\n');
  if (/[()[]/.test(flat) || /\(\?[a-z]*i/i.test(pattern)) return [''];
  return flat.split('|').map((each) =>
    each
      .split(/[\s\S](?:[?*]|\{[^{}]*\})|[.\\^$+\]{}\n]/)
      .reduce((longest, part) => (part.length > longest.length ? part : longest), '')
      .replaceAll(plainDot, '.'),
  );
}

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

/** Path with which Hugo identifies a page. */
const pageOf = (file: string) =>
  `/${file.replace(/(?:^|\/)_?index(?:\.[\w-]+)?\.\w+$|\.\w+$/, '')}`.toLowerCase();

type HugoSettings = ReadonlyMap<string, unknown>;

/** Folder of pages, or a single file. */
interface MountedFolder {
  /** Path of the folder, with a slash at its end, or of the file. */
  source: string;
  isExcluded(below: string): boolean;
}

/** Returns the content folders that Hugo's settings define, below `root`, with their exclusions. */
function mountedContent(values: HugoSettings, root: string): MountedFolder[] {
  const mounts = listOf(matterOf(values.get('module')).get('mounts')).map(matterOf);
  const ofContent = mounts.filter((mount) =>
    /^\/?content(?:\/|$)/.test(textsOf(mount.get('target'))[0] ?? ''),
  );
  const languages = [...matterOf(values.get('languages')).values()].map(matterOf);
  const given = [values, ...languages].flatMap((each) => textsOf(each.get('contentdir')));
  const folders = given.length > 0 ? given : ['content'];
  const found =
    ofContent.length > 0
      ? ofContent.map(mountOf)
      : folders.map((source) => ({ source, isExcluded: () => false }));
  return found.map(({ source, isExcluded }) => {
    const isFile = /\.(?:md|markdown)\/*$/i.test(source);
    return { source: isFile ? `${root}${plainPath(source)}` : folderAt(root, source), isExcluded };
  });
}

/**
 * Reads a mount: its files are the included ones, or all, without the excluded ones. Unclear patterns count as exclusions and
 * never as inclusions, so that nothing private becomes public.
 */
function mountOf(mount: HugoSettings): MountedFolder {
  const listed = textsOf(mount.get('files'));
  const named = (negation: boolean) =>
    listed.filter((each) => each.startsWith('!') === negation).map((each) => each.replace(/^! ?/, ''));
  const excluded = [...textsOf(mount.get('excludefiles')), ...named(true)].map((pattern) =>
    pathPattern(pattern.replace(/^[./]+/, '').toLowerCase()),
  );
  const included = [...textsOf(mount.get('includefiles')), ...named(false)].map((pattern) =>
    globOf(pattern.toLowerCase()),
  );
  return {
    source: textsOf(mount.get('source'))[0] ?? 'content',
    isExcluded(file) {
      const below = file.toLowerCase();
      const isExcluded = excluded.some(({ matches }) => matches(below) || matches(`/${below}`));
      return isExcluded || (included.length > 0 && !included.some((matches) => matches(below)));
    },
  };
}

/** Index file of a page bundle, in any language and format. */
const pageFile = /^(.*\/)index(?:\.[\w-]+)?\.(?:md|markdown|mdown|html?|org|adoc|asciidoc|rst|pandoc|pdc)$/i;

/** Settings for texts without a page in Hugo: outside of its content, excluded by a mount, or part of a page bundle. */
function notPages(
  name: string,
  root: string,
  content: readonly MountedFolder[],
  names: ReadonlySet<string>,
): Setting[] {
  const pages = new Set([...names].flatMap((each) => pageFile.exec(each)?.[1] ?? []));
  const mountsOf = (file: string) => content.filter(({ source }) => file.startsWith(source));
  const belongsToPage = (file: string) => {
    if (pageFile.test(file)) return false;
    const min = Math.min(...mountsOf(file).map(({ source }) => source.length));
    for (let end = file.lastIndexOf('/'); end >= min; end = file.lastIndexOf('/', end - 1))
      if (pages.has(file.slice(0, end + 1))) return true;
    return false;
  };
  return [
    setting(name, {
      below: root,
      matches: (file) => mountsOf(file).length === 0,
      why: `${name} publishes only files in ${content.map(({ source }) => source).join(', ')}`,
    }),
    setting(name, {
      below: root,
      matches: (file) =>
        mountsOf(file).length > 0 &&
        mountsOf(file).every(({ source, isExcluded }) => isExcluded(file.slice(source.length))),
      why: `${name} excludes this file from the old site`,
    }),
    setting(name, {
      below: root,
      matches: belongsToPage,
      why: 'it is a part of the page whose index file is in its folder',
    }),
  ];
}

/** Settings for disabled languages and kinds of pages. */
function switchedOff(name: string, values: HugoSettings, root: string): Setting[] {
  const languages = matterOf(values.get('languages'));
  const off = [
    ...textsOf(values.get('disablelanguages')),
    ...[...languages].filter(([, each]) => matterOf(each).get('disabled') === true).map(([code]) => code),
  ].map((code) => code.toLowerCase());
  const folders = off.flatMap((code) =>
    textsOf(matterOf(languages.get(code)).get('contentdir'))
      .filter((each) => plainPath(each) !== '')
      .map((each) => folderAt(root, each)),
  );
  const isOff = (file: string) =>
    off.some((code) => file.toLowerCase().includes(`.${code}.`)) ||
    folders.some((folder) => file.startsWith(folder));
  const hasNoPages = textsOf(values.get('disablekinds')).some((kind) => kind.toLowerCase() === 'page');
  return [
    ...(off.length > 0
      ? [setting(name, { below: root, matches: isOff, why: `${name} disables its language` })]
      : []),
    ...(hasNoPages ? [setting(name, { below: root, why: `${name} disables all pages (disableKinds)` })] : []),
  ];
}

/** Returns settings with custom names of date fields, which precede the standard ones. */
function ownDateNames(name: string, values: HugoSettings, root: string): Setting[] {
  const given = matterOf(values.get('frontmatter'));
  return ['date', 'publishdate', 'expirydate'].flatMap((usual) => {
    const names = textsOf(given.get(usual)).map((each) => each.toLowerCase());
    const end = names.findIndex((each) => each === ':default' || each === usual);
    const own = names.slice(0, end < 0 ? undefined : end).filter((each) => !each.startsWith(':'));
    return own.length > 0 ? [setting(name, { below: root, renames: { usual, own } })] : [];
  });
}
