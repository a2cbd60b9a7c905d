import path from 'node:path';
import { moving } from '../../../shared/contract/limits.ts';
import { decodeText } from './decode-text.ts';
import { isForPrograms, type TreeFile } from './file-tree.ts';
import { draftFor, excerptOf, type ForeignRecord, slugOf, tagsOf, withoutEnding } from './foreign-record.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import { addressOf } from './markdown-places.ts';
import { momentOf } from './moments.ts';
import { publicationNames, publicationOf, publishedMoment } from './publication.ts';

/** A file among others, wherever they are. */
interface FoundFile extends TreeFile {
  read(): Promise<Buffer>;
}

/** What is known of a folder before its files are read. */
export interface Folder {
  /** The one folder that all is in, with a slash at its end; empty when there is none. */
  top: string;
  /** It is a vault of Obsidian. */
  isVault: boolean;
  now: Date;
}

/** What the names in a folder tell of it. */
export function folderOf(names: readonly string[], now: Date): Folder {
  const own = names.filter((name) => !isForPrograms(name));
  const top = own[0]?.slice(0, own[0].indexOf('/') + 1) ?? '';
  return {
    top: own.every((name) => name.startsWith(top)) ? top : '',
    isVault: names.some((name) => name.split('/').includes('.obsidian')),
    now,
  };
}

export const isMarkdown = (name: string) => /\.(?:md|markdown|mdx)$/i.test(name);

/** A file that becomes no record. */
export const leftOut = (name: string, why: string): ForeignRecord => ({
  ...{ collection: 'files', sourceId: name, title: path.posix.basename(name), values: null },
  ...{ places: [name], notes: [why], isLeftOut: true },
});

/** The post that a file of Markdown is. */
export async function recordOfFile(
  { name, size, mtime, read }: FoundFile,
  folder: Folder,
): Promise<ForeignRecord> {
  const about = { collection: 'posts', sourceId: name, title: path.posix.basename(name) };
  const refused = (why: string): ForeignRecord => ({ ...about, values: null, notes: [why] });
  if (/^readme\.\w+$/i.test(name.slice(folder.top.length)))
    return leftOut(name, 'it tells of the folder, and is no post');
  if (size > moving.recordBytes) return refused('is longer than a record may be');
  const { text, note } = decodeText(await read());
  const notes = note === null ? [] : [note];
  const { matter, body: written, problem } = readFrontMatter(text);
  const body = withPlainLinks(written);
  const post = matter
    ? postOf(matter, body, { file: name, written: mtime, folder, notes })
    : { ...titled('', body, name), values: { content: body.trim(), ...draftFor(problem, notes) } };
  const { title, values, ...more } = { created: mtime, ...post };
  const places = [name, ...addressesOf(name, folder.top)];
  return { ...about, places, title, notes, ...more, values: { ...values, title } };
}

/** Links by a tag of Hugo or Jekyll, as links to the file that it names. */
const withPlainLinks = (body: string): string =>
  body
    .replace(
      /(\]\(\s{0,3}|=\s{0,3}")\{\{[<%]\s{0,3}(?:rel)?ref\s{1,3}"([^"\n]{1,500})"\s{0,3}[>%]\}\}/g,
      '$1$2',
    )
    .replace(/(\]\(\s{0,3}|=\s{0,3}")(?:\{\{\s{0,3}site\.(?:baseurl|url)\s{0,3}\}\})+/g, '$1')
    .replace(/(\]\(\s{0,3}|=\s{0,3}")\{%-?\s{0,3}link\s{1,3}([^\s%]{1,500})\s{0,3}-?%\}/g, '$1/$2')
    .replace(
      /(\]\(\s{0,3}|=\s{0,3}")\{%-?\s{0,3}post_url\s{1,3}([^\s%]{1,500})\s{0,3}-?%\}/g,
      '$1/_posts/$2.md',
    );

/** Folders that are no part of an address. */
const contentFolders = /^(?:src\/)?(?:content|pages|posts|_posts|collections|source)\/(?=.)/;

/** Where generators show a file by its name, as far as no setting of theirs says otherwise. */
function addressesOf(name: string, top: string): string[] {
  const below = name.slice(top.length).replace(/\.\w+$/, '');
  const plain = below.replace(contentFolders, '');
  const [, folders = '', year, month, day, rest] =
    /^(.*?)(?:_posts\/)?(\d{4})-(\d{1,2})-(\d{1,2})-([^/]+)$/.exec(below) ?? [];
  const dated = year
    ? [`/${folders}${year}/${month}/${day}/${rest}`, `/${folders}${rest}`, `/posts/${rest}`, `/blog/${rest}`]
    : [];
  return [`/${below}`, `/${plain}`, ...dated].map((address) => addressOf(address.replace(/\/_?index$/, '/')));
}

const titled = (given: string, body: string, file: string) => ({
  title: given || headingOf(body) || nameOf(file),
});

/** The first heading, without the signs that may close it. */
const headingOf = (body: string): string =>
  withoutEnding(/^# +(\S.*)$/m.exec(body)?.[1]?.trimEnd() ?? '', '#').trimEnd();

/** A name without its date and its ending; of a file that stands for its folder, that of the folder. */
function nameOf(file: string): string {
  const { name, dir } = path.posix.parse(file);
  const own = /^_?index$/i.test(name) && dir !== '' ? path.posix.basename(dir) : name;
  return own.replace(/^\d{4}-\d{1,2}-\d{1,2}-(?=.)/, '');
}

/** The day that the name of a file begins with, or that of the folder which it stands for. */
function dayOf(file: string): Date | null {
  const { name, dir } = path.posix.parse(file);
  const [day] =
    /^\d{4}-\d{1,2}-\d{1,2}(?=-|$)/.exec(/^_?index$/i.test(name) ? path.posix.basename(dir) : name) ?? [];
  return momentOf(day);
}

/** What is taken of front matter besides what says whether it is public. */
const taken = new Set([
  ...['title', 'slug', 'tags', 'tag', 'categories', 'category', 'excerpt', 'summary', 'featured'],
  ...['lastmod', 'last_modified_at', 'updated', 'modified', 'updateddate'],
  ...['cover', 'image', 'heroimage', 'featured_image', 'featuredimage', 'banner', 'thumbnail'],
  ...publicationNames,
]);

interface Around {
  file: string;
  written: Date;
  folder: Folder;
  notes: string[];
}

function postOf(matter: FrontMatter, body: string, { file, written, folder, notes }: Around) {
  const others = [...matter.keys()].filter((name) => !taken.has(name));
  if (others.length > 0) notes.push(`front matter left out: ${others.join(', ')}`);
  const { title } = titled(textIn(matter, ['title'], notes), body, file);
  const date = publishedMoment(matter)?.moment ?? dayOf(file);
  const publication = publicationOf(matter, date, { file, isNote: folder.isVault, now: folder.now }, notes);
  const dated = date ?? written;
  // A moment that is to come would stand before all that is written here until then.
  const created = dated > folder.now ? written : dated;
  return {
    title,
    created,
    cover: coverIn(matter, notes),
    updated: momentOf(firstOf(matter, ['lastmod', 'last_modified_at', 'updated', 'modified', 'updateddate'])),
    values: {
      slug: slugOf('posts', textIn(matter, ['slug'], notes), notes),
      content: body.trim(),
      excerpt: excerptOf(textIn(matter, ['excerpt', 'summary'], notes), notes),
      featured: matter.get('featured') === true,
      tags: tagsIn(matter, /(?:^|\/)_(?:posts|drafts)\//.test(file), notes),
      published_at: publication.is_draft ? null : dated.toISOString(),
      ...publication,
    },
  };
}

const isUnset = (value: unknown) => value === null || value === undefined || value === '';

const firstOf = (matter: FrontMatter, names: readonly string[]) =>
  names.map((name) => matter.get(name)).find((value) => !isUnset(value));

/** The text of a plain value; null for what is a list or an object. */
function plainOf(value: unknown): string | null {
  if (isUnset(value)) return '';
  if (typeof value === 'string') return value.trim();
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? null : String(value);
}

function textIn(matter: FrontMatter, names: readonly string[], notes: string[]): string {
  const text = plainOf(firstOf(matter, names));
  if (text === null) notes.push(`${names[0]}: is no text, it was left out`);
  return text ?? '';
}

/** The picture of a post: an address, or what has one (`cover: {image: …}`). */
function coverIn(matter: FrontMatter, notes: string[]): string {
  const value = firstOf(matter, coverNames);
  const [first] = Array.isArray(value) ? value : [value];
  if (typeof first !== 'object' || first === null)
    return textIn(new Map([['cover', first]]), ['cover'], notes);
  const given = ['image', 'src', 'url', 'path'].map(
    (name) => Object.entries(first).find(([key]) => key === name)?.[1],
  );
  return plainOf(given.find((each) => !isUnset(each))) ?? '';
}

const coverNames = ['cover', 'image', 'heroimage', 'featured_image', 'featuredimage', 'banner', 'thumbnail'];

/** Tags and categories, in a list or in a text with commas; Jekyll's text has blanks between them. */
function tagsIn(matter: FrontMatter, areApart: boolean, notes: string[]): string[] {
  const names = ['tags', 'tag', 'categories', 'category'].flatMap((name) => {
    const value = matter.get(name);
    if (typeof value === 'string') return value.split(value.includes(',') || !areApart ? ',' : /\s+/);
    const each = (Array.isArray(value) ? value : [value]).map(plainOf);
    if (each.includes(null)) notes.push(`${name}: has what is no text, which was left out`);
    return each.flatMap((text) => text ?? []);
  });
  return tagsOf(
    names.map((name) => name.replace(/^#/, '')),
    notes,
  );
}
