import path from 'node:path';
import { slugFrom } from '../content/slug.ts';
import { withoutEnding } from './foreign-record.ts';
import { type FrontMatter, matterOf } from './front-matter.ts';
import { categoryNames, tagNames, tagsIn } from './front-matter-fields.ts';
import { listsOfAll, listsOfTag } from './list-redirects.ts';
import { textName } from './named-files.ts';
import { listOf, textsOf } from './publication-setting.ts';

/** Site generator of Markdown files. It determines the paths of their pages. */
export type Generator = 'hugo' | 'jekyll' | 'eleventy' | 'astro' | 'obsidian' | 'unknown';

const marks: readonly (readonly [Generator, RegExp])[] = [
  ['obsidian', /(?:^|\/)\.obsidian\//],
  ['astro', /(?:^|\/)astro\.config\.[cm]?[jt]s$/],
  ['eleventy', /(?:^|\/)(?:\.eleventy|eleventy\.config)\.[cm]?[jt]s$/],
  ['hugo', /(?:^|\/)(?:hugo\.(?:toml|ya?ml|json)|archetypes\/default\.md|content\/_index\.md)$/],
  ['hugo', /(?:^|\/)config\.toml$/],
  ['jekyll', /(?:^|\/)(?:_config\.ya?ml|_posts\/[^/]+)$/],
];

/** Returns the generator of a folder, recognized by file names; `unknown` if none is. */
export const generatorOf = (names: readonly string[]): Generator =>
  marks.find(([, mark]) => names.some((name) => mark.test(name)))?.[0] ?? 'unknown';

/** Data that determines the path of a text. */
interface ShownDate {
  generator: Generator;
  /** Path of the text below the folder that contains all files. */
  file: string;
  title: string;
  /** Day of publication of the text: `2024-01-31`. */
  day: string | null;
  /** Folders that Jekyll uses as categories. */
  folders: readonly string[];
}

/** Front matter fields with paths. */
export const addressNames: readonly string[] = ['permalink', 'url', 'aliases', 'redirect_from', 'baseurl'];

const styles: ReadonlyMap<string, string> = new Map([
  ['date', '/:categories/:year/:month/:day/:title:output_ext'],
  ['pretty', '/:categories/:year/:month/:day/:title/'],
  ['none', '/:categories/:title:output_ext'],
]);

/**
 * Returns the paths at which the old site showed a text, by its front matter, its file name and the site's settings.
 * Empty if they are unknown.
 */
export function oldAddresses(matter: FrontMatter, written: ShownDate, notes: string[]): string[] {
  const { language, file } = languageOf(matter, written.file);
  const shown = { ...written, file };
  if (language !== '') notes.push(`Language not imported: the original was in “${language.slice(1)}”`);
  const [pattern] = textsOf(matter.get(shown.generator === 'hugo' ? 'url' : 'permalink'));
  const isOfPost = shown.generator === 'jekyll' && /(?:^|\/)_posts\//.test(shown.file);
  const wanted = pattern ?? (isOfPost ? styles.get('date') : undefined);
  const main = wanted === undefined ? usualAddress(matter, shown) : expanded(wanted, matter, shown);
  if (wanted !== undefined && main === null)
    notes.push(`No redirect created: the old URL cannot be derived from its pattern ${wanted.slice(0, 100)}`);
  const around = main ?? usualAddress(matter, shown) ?? '/';
  const more =
    shown.generator === 'obsidian'
      ? []
      : [...listOf(matter.get('aliases')), ...listOf(matter.get('redirect_from'))];
  const paths = [
    main === null ? null : `${language}${main}`,
    ...textsOf(more).map((alias) => path.posix.resolve(path.posix.dirname(around), alias)),
  ];
  return paths.flatMap((each) => (each === null ? [] : spellings(`${folderOfSite(matter)}${each}`)));
}

/** Internal field with the path prefix of each language, set by Hugo's settings. */
export const hugoLanguages = 'hugo languages';

/** Language that a file name ends with, if the site has it, and the name without it. */
function languageOf(matter: FrontMatter, file: string) {
  const [, before = '', code = '', ending = ''] = /^(.*)\.([\w-]{2,11})(\.\w+)$/.exec(file) ?? [];
  const [language] = textsOf(matterOf(matter.get(hugoLanguages)).get(code.toLowerCase()));
  return language === undefined ? { language: '', file } : { language, file: `${before}${ending}` };
}

/** Base path of a site, from its settings. */
const folderOfSite = (matter: FrontMatter) =>
  (URL.parse(textsOf(matter.get('baseurl')).at(0) ?? '', 'https://a.invalid')?.pathname ?? '').replace(
    /\/+$/,
    '',
  );

/** Both forms of a path: servers also show `/a.html` and `/a/index.html` without these endings. */
function spellings(address: string): string[] {
  const plain = address.replace(/(?:\/index)?\.html?$/i, '').replace(/\/{2,}/g, '/');
  return plain === address || /\/index\.html?$/i.test(address)
    ? [plain]
    : [plain, address.replace(/\/{2,}/g, '/')];
}

/** Default path of a file in its generator; null if unknown. */
function usualAddress(matter: FrontMatter, { generator, file }: ShownDate): string | null {
  const [, dir = '', name = ''] = /^(.*\/)?([^/]+?)\.\w+$/.exec(file) ?? [];
  const [slug] = textsOf(matter.get('slug'));
  const isFolder = /^_?index$/i.test(name);
  const at = (root: string) => {
    if (!dir.startsWith(root)) return null;
    const folders = dir.slice(root.length);
    if (isFolder && slug !== undefined && name === 'index') return `/${path.posix.dirname(folders)}/${slug}`;
    return `/${folders}${isFolder ? '' : (slug ?? name)}`;
  };
  if (generator === 'hugo') return at('content/')?.toLowerCase().replaceAll(' ', '-') ?? null;
  if (generator === 'astro') return at('src/pages/') ?? at('src/content/');
  if (generator === 'jekyll') return `/${dir}${isFolder ? '' : `${name}.html`}`;
  if (generator !== 'eleventy') return null;
  const folders = dir.replace(/^(?:src|content|\.)\//, '');
  return `/${folders}${isFolder ? '' : name.replace(/^\d{4}-\d{2}-\d{2}-(?=.)/, '')}`;
}

/** Path by a URL pattern; null if the pattern has unknown placeholders. */
function expanded(pattern: string, matter: FrontMatter, shown: ShownDate): string | null {
  const parts = new Map(Object.entries(partsOf(matter, shown)));
  let isKnown = true;
  const part = (written: string, name: string) => {
    const value = parts.get(name.toLowerCase()) ?? null;
    isKnown &&= value !== null;
    return value ?? written;
  };
  const address = (styles.get(pattern) ?? pattern)
    .replace(/\{\{-?\s{0,3}([\w.]+(?:\s{0,3}\|\s{0,3}slug(?:ify)?)?)\s{0,3}-?\}\}/g, (written, name) =>
      part(written, name.replace(/\s/g, '')),
    )
    .replace(/:(\w+)/g, part);
  return isKnown && !/[{}:[\]]/.test(address) ? address.replace(/^\/*/, '/') : null;
}

/** Internal field with Jekyll's source folder, set by its settings. */
export const folderOfSource = 'folder of the source';

/**
 * Returns the folders above `_posts` below Jekyll's source; empty if there are none. Jekyll adds them as categories.
 */
export const foldersOfPost = (file: string, source: string): string[] =>
  (file.startsWith(source) &&
    /^(.*?)\/?_posts\//.exec(file.slice(source.length))?.[1]?.split('/').filter(Boolean)) ||
  [];

function partsOf(
  matter: FrontMatter,
  { file, title, day: written, folders }: ShownDate,
): Readonly<Record<string, string | null>> {
  const { own: filename, undated, folder } = textName(file);
  const slug = textsOf(matter.get('slug')).at(0);
  const ofTitle = slugFrom(title, undated);
  const sections = folder.replace(/^content\/?/, '');
  const [year = null, month = null, day = null] = written?.split('-') ?? [];
  const number = (digits: string | null) => digits && String(Number(digits));
  const isJekyll = /(?:^|\/)_(?:posts|drafts)\//.test(file);
  const categories = tagsIn(matter, isJekyll, [], categoryNames).map((each) => each.toLowerCase());
  return {
    ...{ year, month, day, short_year: year?.slice(2) ?? null, i_month: number(month), i_day: number(day) },
    title: isJekyll ? (slug ?? undated) : ofTitle,
    slug: slug ?? (isJekyll ? undated : ofTitle),
    categories: [...folders, ...categories].join('/'),
    output_ext: '.html',
    ...{ section: sections.split('/')[0] ?? '', sections, filename, contentbasename: filename },
    ...{ slugorfilename: slug ?? filename, slugorcontentbasename: slug ?? filename },
    ...{
      name: undated,
      basename: undated,
      'page.fileslug': undated,
      'title|slugify': ofTitle,
      'title|slug': ofTitle,
    },
  };
}

/** Internal field with the URL patterns of the plugin jekyll-archives. */
export const archiveLinks = 'jekyll-archives permalinks';

/**
 * Returns the lists that contained a text on the old site: by tag, by category, and of its section in Hugo. Maps their old
 * paths to those of the equivalent lists here.
 */
export function listsOf(
  matter: FrontMatter,
  generator: Generator,
  file: string,
  areApart: boolean,
): Map<string, string> {
  if (generator === 'obsidian' || generator === 'unknown') return new Map();
  const isHugo = generator === 'hugo';
  const below = folderOfSite(matter);
  const given = matterOf(matter.get(archiveLinks));
  const lists = (['tag', 'category'] as const).flatMap((kind) => {
    const names = kind === 'tag' ? tagNames : categoryNames;
    const [pattern = `/${names[0]}/:name`] = textsOf(given.get(kind));
    // A pattern must have exactly one placeholder, the name.
    if (!/^[^:]*:name[^:]*$/.test(pattern)) return [];
    return tagsIn(matter, areApart, [], names).flatMap((name) => {
      const word = isHugo ? pathOfHugo(name) : slugified(name);
      const path = `${below}${withoutEnding(pattern, '/').replace(':name', () => word)}`;
      return word === '' ? [] : listsOfTag(name, { path, feed: isHugo ? 'index.xml' : null });
    });
  });
  const [, section] = (isHugo && /^content\/([^/]+)\/(?!index\.[^/]*$)./.exec(file)) || [];
  return new Map([
    ...lists,
    ...(section ? listsOfAll({ path: `${below}/${pathOfHugo(section)}`, feed: 'index.xml' }) : []),
  ]);
}

/** Name in the form that Hugo has in URLs: blanks become hyphens, and repeated ones are joined. */
const pathOfHugo = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}./_#+~@\s-]/gu, '')
    .trim()
    .replace(/\s*(-+)\s*|\s+/g, (_, hyphens = '-') => hyphens);

/** Name in the form that Jekyll, Eleventy and Astro's templates have in URLs. */
const slugified = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{M}\p{L}\p{Nd}]+/gu, '-')
    .replace(/^-|-$/g, '');
