import path from 'node:path';
import { slugFrom } from '../content/slug.ts';
import { withoutEnding } from './foreign-record.ts';
import { type FrontMatter, matterOf } from './front-matter.ts';
import { categoryNames, tagNames, tagsIn } from './matter-fields.ts';
import { textName } from './named-files.ts';
import { listsOfAll, listsOfTag } from './old-lists.ts';
import { listOf, textsOf } from './setting.ts';

/** Programs that make a site of Markdown, as far as they show texts at different addresses. */
export type Generator = 'hugo' | 'jekyll' | 'eleventy' | 'astro' | 'obsidian' | 'unknown';

const marks: readonly (readonly [Generator, RegExp])[] = [
  ['obsidian', /(?:^|\/)\.obsidian\//],
  ['astro', /(?:^|\/)astro\.config\.[cm]?[jt]s$/],
  ['eleventy', /(?:^|\/)(?:\.eleventy|eleventy\.config)\.[cm]?[jt]s$/],
  ['hugo', /(?:^|\/)(?:hugo\.(?:toml|ya?ml|json)|archetypes\/default\.md|content\/_index\.md)$/],
  ['hugo', /(?:^|\/)config\.toml$/],
  ['jekyll', /(?:^|\/)(?:_config\.ya?ml|_posts\/[^/]+)$/],
];

/** Whose folder it is, by the names in it. */
export const generatorOf = (names: readonly string[]): Generator =>
  marks.find(([, mark]) => names.some((name) => mark.test(name)))?.[0] ?? 'unknown';

/** What decides where a text was shown. */
interface Shown {
  generator: Generator;
  /** Its name below the folder that all is in. */
  file: string;
  title: string;
  /** That it was published on: `2024-01-31`. */
  day: string | null;
  /** That are categories of it. */
  folders: readonly string[];
}

/** Front matter that is taken here. */
export const addressNames: readonly string[] = ['permalink', 'url', 'aliases', 'redirect_from', 'baseurl'];

const styles: ReadonlyMap<string, string> = new Map([
  ['date', '/:categories/:year/:month/:day/:title:output_ext'],
  ['pretty', '/:categories/:year/:month/:day/:title/'],
  ['none', '/:categories/:title:output_ext'],
]);

/** Paths at which a text was shown, as far as its front matter, its name and the settings of its site say. */
export function oldAddresses(matter: FrontMatter, written: Shown, notes: string[]): string[] {
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

/** What Hugo's settings say of languages: what the addresses of each begin with. */
export const hugoLanguages = 'hugo languages';

/** The language that the name of a file ends with, if its site has that, and the name without it. */
function languageOf(matter: FrontMatter, file: string) {
  const [, before = '', code = '', ending = ''] = /^(.*)\.([\w-]{2,11})(\.\w+)$/.exec(file) ?? [];
  const [language] = textsOf(matterOf(matter.get(hugoLanguages)).get(code.toLowerCase()));
  return language === undefined ? { language: '', file } : { language, file: `${before}${ending}` };
}

/** What all addresses of a site begin with, as its settings say. */
const folderOfSite = (matter: FrontMatter) =>
  (URL.parse(textsOf(matter.get('baseurl')).at(0) ?? '', 'https://a.invalid')?.pathname ?? '').replace(
    /\/+$/,
    '',
  );

/** Servers show `/a.html` and `/a/index.html` without their endings, too. */
function spellings(address: string): string[] {
  const plain = address.replace(/(?:\/index)?\.html?$/i, '').replace(/\/{2,}/g, '/');
  return plain === address || /\/index\.html?$/i.test(address)
    ? [plain]
    : [plain, address.replace(/\/{2,}/g, '/')];
}

/** Where a generator shows a file when nothing says otherwise; null where that can't be known. */
function usualAddress(matter: FrontMatter, { generator, file }: Shown): string | null {
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

/** An address by a pattern; null for one with parts that are not known here. */
function expanded(pattern: string, matter: FrontMatter, shown: Shown): string | null {
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

/** The setting that says which folder Jekyll makes a site of. */
export const folderOfSource = 'folder of the source';

/** Folders of Jekyll's source that the one of its posts is in, which are categories of theirs. */
export const foldersOfPost = (file: string, source: string): string[] =>
  (file.startsWith(source) &&
    /^(.*?)\/?_posts\//.exec(file.slice(source.length))?.[1]?.split('/').filter(Boolean)) ||
  [];

function partsOf(
  matter: FrontMatter,
  { file, title, day: written, folders }: Shown,
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

/** The setting by which a plugin of Jekyll is told where its lists are. */
export const archiveLinks = 'jekyll-archives permalinks';

/** Lists that a text was in: of its tags, of its categories, and of Hugo's section. */
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
    // One that names nothing, or more than a list of tags has, is of something else.
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

/** A name as Hugo writes it in addresses: signs of its own for blanks, but none that stands beside a hyphen already. */
const pathOfHugo = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}./_#+~@\s-]/gu, '')
    .trim()
    .replace(/\s*(-+)\s*|\s+/g, (_, hyphens = '-') => hyphens);

/** As Jekyll, Eleventy and Astro's templates do. */
const slugified = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{M}\p{L}\p{Nd}]+/gu, '-')
    .replace(/^-|-$/g, '');
