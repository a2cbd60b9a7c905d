import { matterOf } from './front-matter.ts';
import { globOf } from './glob.ts';
import { folderAt, listOf, pathPattern, plainPath, type Setting, setting, textsOf } from './setting.ts';

type HugoSettings = ReadonlyMap<string, unknown>;

/** A folder that Hugo makes pages of, or one file. */
interface Mounted {
  /** With a slash at its end; of a file, its name. */
  source: string;
  isLeftOut(below: string): boolean;
}

/** What Hugo's settings say of where its pages are: the folders, below `root`, and what of them it leaves out. */
export function mountedContent(values: HugoSettings, root: string): Mounted[] {
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
      : folders.map((source) => ({ source, isLeftOut: () => false }));
  return found.map(({ source, isLeftOut }) => {
    const isFile = /\.(?:md|markdown)\/*$/i.test(source);
    return { source: isFile ? `${root}${plainPath(source)}` : folderAt(root, source), isLeftOut };
  });
}

/** A mount shows what it includes, or all, without what it excludes: what may be meant is excluded, what surely is included. */
function mountOf(mount: HugoSettings): Mounted {
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
    isLeftOut(file) {
      const below = file.toLowerCase();
      const isExcluded = excluded.some(({ matches }) => matches(below) || matches(`/${below}`));
      return isExcluded || (included.length > 0 && !included.some((glob) => glob.matches(below)));
    },
  };
}

/** Names of a page's file, in whatever language and form. */
const pageFile = /^(.*\/)index(?:\.[\w-]+)?\.(?:md|markdown|mdown|html?|org|adoc|asciidoc|rst|pandoc|pdc)$/i;

/** Texts that Hugo shows no page of: outside of its content, left out by a mount, or belonging to a page in the same folder. */
export function notPages(
  name: string,
  { root, content, names }: { root: string; content: readonly Mounted[]; names: ReadonlySet<string> },
): Setting[] {
  const pages = new Set([...names].flatMap((each) => pageFile.exec(each)?.[1] ?? []));
  const mountsOf = (file: string) => content.filter(({ source }) => file.startsWith(source));
  const belongsToPage = (file: string) => {
    if (pageFile.test(file)) return false;
    const least = Math.min(...mountsOf(file).map(({ source }) => source.length));
    for (let end = file.lastIndexOf('/'); end >= least; end = file.lastIndexOf('/', end - 1))
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
        mountsOf(file).every(({ source, isLeftOut }) => isLeftOut(file.slice(source.length))),
      why: `${name} excludes this file from the old site`,
    }),
    setting(name, {
      below: root,
      matches: belongsToPage,
      why: 'it is a part of the page whose index file is in its folder',
    }),
  ];
}

/** Languages and kinds of pages that are switched off. */
export function switchedOff(name: string, values: HugoSettings, root: string): Setting[] {
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

/** Names of front matter that the settings give to moments, before the usual ones. */
export function ownDateNames(name: string, values: HugoSettings, root: string): Setting[] {
  const given = matterOf(values.get('frontmatter'));
  return ['date', 'publishdate', 'expirydate'].flatMap((usual) => {
    const names = textsOf(given.get(usual)).map((each) => each.toLowerCase());
    const end = names.findIndex((each) => each === ':default' || each === usual);
    const own = names.slice(0, end < 0 ? undefined : end).filter((each) => !each.startsWith(':'));
    return own.length > 0 ? [setting(name, { below: root, renames: { usual, own } })] : [];
  });
}
