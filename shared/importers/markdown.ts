import path from 'node:path';
import { type FileTree, type OpenTreeFile, ownNames, textOf } from './file-tree.ts';
import {
  draftFor,
  excerptOf,
  excludedFile,
  type ForeignRecord,
  type ForeignSite,
  metaOf,
  slugOf,
  tagsOf,
  tooLong,
  unreadable,
  withoutEnding,
} from './foreign-record.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import {
  categoryNames,
  coverIn,
  coverNames,
  firstOf,
  tagNames,
  tagsIn,
  textIn,
} from './front-matter-fields.ts';
import { isOfPublication, publicationOf, publicationTime } from './front-matter-publication.ts';
import { draftOfUnclear, withPlainMarkup } from './generator-markup.ts';
import { addressesOf, addressOf, placesOf } from './markdown-places.ts';
import { namedFiles, textName, topOf } from './named-files.ts';
import { parseTime, readTime } from './parse-time.ts';
import { textsOf } from './publication-setting.ts';
import { readSettings, type SiteSettings } from './site-settings.ts';
import {
  addressNames,
  folderOfSource,
  foldersOfPost,
  type Generator,
  generatorOf,
  listsOf,
  oldAddresses,
} from './source-paths.ts';
import { templatesIn } from './unsupported-markup.ts';

/**
 * Opens a folder of Markdown files. Each becomes a post with the fields of its front matter, or is reported if it is
 * not imported.
 */
export async function readMarkdown(tree: FileTree, now: Date): Promise<ForeignSite> {
  const folder = await folderOf(tree, now);
  const byName = new Map<string, string>();
  for (const { name } of tree.files.toReversed()) byName.set(path.posix.basename(name).toLowerCase(), name);
  return {
    source: 'markdown',
    named: namedFiles(tree),
    hasSharedIds: true,
    form: 'markdown',
    records: () => recordsOf(tree, folder),
    placesOf(reference, { sourceId: file, addresses = [], places: positions = [] }) {
      const address = addresses[0] ?? positions.find((position) => position.startsWith('/'));
      return placesOf(reference, file, address, folder.top, byName);
    },
    tree,
  };
}

async function* recordsOf(tree: FileTree, folder: Folder): AsyncGenerator<ForeignRecord> {
  const own = ownNames(tree);
  const texts = new Set(own.filter(isMarkdown));
  for await (const file of tree.read(texts)) yield await recordOfFile(file, folder);
  for (const name of own)
    if (!texts.has(name)) yield excludedFile(name, whyExcluded(folder.timeZones.get(name)));
}

const whyExcluded = (timeZone: string | undefined) =>
  timeZone === undefined
    ? 'no post or page uses this file'
    : `set its time zone, ${timeZone.slice(0, 64)}, in Design and settings`;

/** Data about a folder, collected before its texts are read. */
interface Folder {
  /** Folder that contains all files, with a slash at its end; empty if there is none. */
  top: string;
  /** Site generator that the folder belongs to. */
  generator: Generator;
  /** Settings in other files that affect a text. */
  settings: SiteSettings;
  /** Time zones in settings files, by file name. */
  timeZones: ReadonlyMap<string, string>;
  now: Date;
}

/** Reads the settings of a folder. */
async function folderOf(tree: FileTree, now: Date): Promise<Folder> {
  const own = ownNames(tree);
  const top = topOf(own[0] ?? '');
  return {
    top: own.every((name) => name.startsWith(top)) ? top : '',
    generator: generatorOf(tree.files.map(({ name }) => name)),
    ...(await readSettings(tree, now)),
    now,
  };
}

export const isMarkdown = (name: string) => /\.(?:md|markdown|mdx)$/i.test(name);

/** Names of files that describe the folder, or are error pages. They are not imported. */
const ofFolder = /^(?:readme|licen[cs]e|changelog|contributing|code_of_conduct|404)\.\w+$/i;

const isList = (name: string) => /(?:^|\/)_index(?:\.[\w-]+)?\.\w+$/.test(name);

/** Converts a Markdown file to a post. */
async function recordOfFile(file: OpenTreeFile, folder: Folder): Promise<ForeignRecord> {
  const { name, mtime } = file;
  const about = { collection: 'posts', sourceId: name, title: path.posix.basename(name) };
  if (ofFolder.test(name.slice(folder.top.length)))
    return excludedFile(name, 'it describes the folder and is not a post');
  const read = await textOf(file);
  if (!read) return unreadable(about, tooLong);
  const { text, notes } = read;
  const { matter, body: written, problem } = headedByNames(text) ?? readFrontMatter(text);
  const isMdx = /\.mdx$/i.test(name);
  const { body, isUnclear } = withPlainMarkup(written, isMdx ? 'mdx' : folder.generator);
  const unread = templatesIn(body, isMdx);
  if (unread) notes.push(unread);
  const post = matter
    ? postOf(matter, body, file, folder, notes)
    : { ...titled('', body, name), values: { content: body.trim(), ...draftFor(problem, notes) } };
  const { title, values, addresses, ...more } = { created: mtime, addresses: [], ...post };
  // The old address of a list redirects to a list here, not to a post.
  const listedAddresses = isList(name) ? [] : addresses;
  const positions = isList(name)
    ? [name]
    : [name, ...addresses.map(addressOf), ...addressesOf(name, folder.top)];
  return {
    ...about,
    places: positions,
    addresses: listedAddresses,
    title,
    notes,
    ...more,
    values: { ...values, title, ...(isUnclear && draftOfUnclear(notes)) },
  };
}

/**
 * Reports a text whose first lines look like settings without marks around them, as in Pelican. They are not
 * interpreted. Undefined for other texts.
 */
function headedByNames(text: string): ReturnType<typeof readFrontMatter> | undefined {
  const [head = ''] = text
    .slice(0, 5_000)
    .trimStart()
    .split(/\r?\n[ \t]*\r?\n/, 1);
  const lines = head.split('\n').map((line) => /^([A-Za-z][\w-]{0,40}):(?:\s|$)/.exec(line)?.[1]);
  const isHead = lines[0] !== undefined && lines.some((name) => name && isOfPublication(name.toLowerCase()));
  return isHead
    ? { body: text, problem: 'its first lines look like settings without the lines --- around them' }
    : undefined;
}

const titled = (given: string, body: string, file: string) => ({
  title: given || headingOf(body) || textName(file).undated,
});

/** Text of the first heading of level 1, without a declared ID and closing `#` signs; empty if there is none. */
const headingOf = (body: string): string => {
  const heading = /^# +(\S.*)$/m.exec(body)?.[1] ?? '';
  const words = heading.replace(/[ \t]\{#[^\s{}]{1,200}\}(?=[ \t#]*$)|<a id="[^"]*"><\/a>/g, '');
  return withoutEnding(words.trimEnd(), '#').trimEnd();
};

const updatedNames = ['lastmod', 'last_modified_at', 'updated', 'modified', 'updateddate'];

const seoNames = {
  title: ['meta_title', 'metatitle', 'seo_title'],
  description: ['meta_description', 'metadescription', 'description'],
};

/** Front matter fields that are imported, apart from those on publication. */
const taken = new Set([
  ...['title', 'slug', ...tagNames, ...categoryNames, 'excerpt', 'summary', 'featured'],
  ...updatedNames,
  ...coverNames,
  ...addressNames,
  ...[...seoNames.title, ...seoNames.description, 'cascade'],
]);

/** Generators that show posts by date. */
const hasPosts: ReadonlySet<Generator> = new Set(['hugo', 'jekyll', 'eleventy', 'astro']);

function postOf(
  own: FrontMatter,
  body: string,
  { name: file, mtime: written }: Pick<OpenTreeFile, 'name' | 'mtime'>,
  folder: Folder,
  notes: string[],
) {
  const others = [...own.keys()].filter((name) => !taken.has(name) && !isOfPublication(name));
  const whole = folder.settings(file, own);
  const { matter, zones } = whole;
  const why = isList(file) ? 'the original introduces a list of posts' : whole.why;
  if (others.length > 0) notes.push(`Front matter fields not imported: ${others.join(', ')}`);
  const { title } = titled(textIn(matter, ['title'], notes), body, file);
  const date = publicationTime(matter, zones)?.time ?? readTime(textName(file).day, zones);
  const publication = publicationOf(
    { ...whole, why },
    { file, date, isNote: folder.generator === 'obsidian', now: folder.now },
    notes,
  );
  const shown = {
    generator: folder.generator,
    file: file.slice(folder.top.length),
    title,
    day: date?.day ?? null,
    folders:
      folder.generator === 'jekyll'
        ? foldersOfPost(file, textsOf(matter.get(folderOfSource)).at(0) ?? folder.top)
        : [],
  };
  const areApart = /(?:^|\/)_(?:posts|drafts)\//.test(file);
  // A date without a time is read as 10:00 UTC. If that is in the future, the latest possible time in its zones is used.
  const begun = date && date.time > folder.now ? date.latest : date?.time;
  const dated = begun ?? written;
  // A future creation date would sort the post before all new ones until then.
  const created = dated > folder.now ? written : dated;
  // Only posts of a blog need a date. Notes rarely have one.
  if (!date && !publication.is_draft && hasPosts.has(folder.generator))
    notes.push(`No date found: the post has the date of its file, ${written.toISOString().slice(0, 10)}`);
  return {
    title,
    created,
    addresses: oldAddresses(matter, shown, notes),
    lists: listsOf(matter, shown.generator, shown.file, areApart),
    ...coverIn(matter, notes),
    updated: parseTime(firstOf(matter, updatedNames)),
    values: {
      slug: slugOf('posts', textIn(matter, ['slug'], notes), notes),
      content: body.trim(),
      excerpt: excerptOf(textIn(matter, ['excerpt', 'summary'], notes), notes),
      featured: matter.get('featured') === true,
      tags: tagsOf([...tagsIn(matter, areApart, notes), ...shown.folders], notes),
      ...metaOf(textIn(matter, seoNames.title, notes), textIn(matter, seoNames.description, notes), notes),
      published_at: publication.is_draft ? null : dated.toISOString(),
      ...publication,
    },
  };
}
