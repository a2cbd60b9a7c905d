import path from 'node:path';
import { type FileTree, type OpenTreeFile, ownNames, textOf } from './file-tree.ts';
import {
  draftFor,
  excerptOf,
  excludedFile,
  type ForeignRecord,
  type ForeignSite,
  futureDate,
  slugOf,
  tooLong,
  unreadable,
} from './foreign-record.ts';
import { anyZone, readTime, type WrittenTime } from './parse-time.ts';
import { plainText } from './plain-text.ts';

const textOfPost = /(?:^|\/)posts\/[^/]+\.html$/;

export const isMedium = (names: readonly string[]) => names.some((name) => textOfPost.test(name));

/** Opens a Medium export. Its images are still on the old site. */
export function readMedium(tree: FileTree, now: Date): ForeignSite {
  const names = ownNames(tree);
  return {
    source: 'medium',
    form: 'html',
    records: () => recordsOf(tree, names, now),
    placesOf({ target }) {
      const url = URL.parse(target);
      if (!url) return [];
      if (isOfImages(url)) return [url.href.replace(/\/(?:max|fit\/\w)\/\d+(?:\/\d+)?\//, '/max/2400/')];
      const id = /^(?:.+\.)?medium\.com$/.test(url.host) ? idIn(url.pathname) : null;
      return id === null ? [] : [`/p/${id}`];
    },
    pictureAt: (position) => (position.startsWith('https://') ? position : null),
  };
}

const isOfImages = ({ host }: URL) => /^(?:cdn-images-\d\.medium\.com|miro\.medium\.com)$/.test(host);

/** ID of a Medium post, with which its URLs and file names end: 8 to 12 hex digits. Null if `name` has none. */
const idIn = (name: string): string | null =>
  /(?:^|[-/_])([0-9a-f]{8,12})(?:\.html|\/)?$/.exec(name)?.[1] ?? null;

async function* recordsOf(
  tree: FileTree,
  names: readonly string[],
  now: Date,
): AsyncGenerator<ForeignRecord> {
  const texts = new Set(names.filter((name) => textOfPost.test(name)));
  for await (const file of tree.read(texts)) yield await postOf(file, now);
  for (const name of names)
    if (!texts.has(name)) yield excludedFile(name, 'files of this kind have no equivalent here');
}

async function postOf(file: OpenTreeFile, now: Date): Promise<ForeignRecord> {
  const name = path.posix.basename(file.name);
  const id = idIn(name);
  const about = { collection: 'posts', sourceId: id ?? name, title: name };
  const read = await textOf(file);
  if (!read) return unreadable(about, tooLong);
  const { text: page, notes } = read;
  const title = plainText(
    between(page, '<h1 class="p-name">', '</h1>') ?? between(page, '<title>', '</title>') ?? '',
  );
  const body = between(page, 'data-field="body"', '<footer>')?.replace(/^[^>]*>/, '');
  if (body === undefined)
    return unreadable({ ...about, title }, 'the file does not have the structure of a Medium post');
  const written = readTime(between(page, '<time class="dt-published" datetime="', '"'), anyZone);
  const canonical = canonicalOf(page);
  const isElsewhere = canonical !== null && !/^(?:.+\.)?medium\.com$/.test(canonical.host);
  const slug = path.posix.basename(canonical?.pathname ?? '').replace(/-[0-9a-f]{8,12}$/, '');
  return {
    ...about,
    title,
    values: {
      title: title || '(untitled)',
      slug: slugOf('posts', slug, notes),
      content: withoutTitle(body.trim().replace(/<\/section>$/, ''), title).trim(),
      excerpt: excerptOf(plainText(between(page, 'class="p-summary">', '</section>') ?? ''), notes),
      ...publicationOf(name, written, now, notes),
    },
    notes,
    places: id === null ? [] : [`/p/${id}`],
    addresses: isElsewhere ? [canonical.pathname] : [],
    created: written && written.latest <= now ? written.time : null,
  };
}

/** Text between two marks, or undefined if one is missing. */
function between(text: string, begin: string, end: string): string | undefined {
  const from = text.indexOf(begin);
  const at = from + begin.length;
  const to = text.indexOf(end, at);
  return from < 0 || to < 0 ? undefined : text.slice(at, to);
}

/** Canonical URL of a post; null if it has none. */
function canonicalOf(page: string): URL | null {
  const end = page.lastIndexOf('" class="p-canonical"');
  return end < 0 ? null : URL.parse(page.slice(page.lastIndexOf('"', end - 1) + 1, end));
}

/** Removes the first heading of a body if it repeats the title. */
function withoutTitle(body: string, title: string): string {
  const begin = body.indexOf('graf--title');
  const from = body.lastIndexOf('<h', begin);
  const to = body.indexOf('</h', begin);
  const end = body.indexOf('>', to);
  if (begin < 0 || from < 0 || to < 0 || end < 0) return body;
  return plainText(body.slice(body.indexOf('>', begin) + 1, to)) === title
    ? `${body.slice(0, from)}${body.slice(end + 1)}`
    : body;
}

/** Publication state of a post. Published posts become drafts, because the export does not state who could read them. */
function publicationOf(name: string, written: WrittenTime | null, now: Date, notes: string[]) {
  if (/^draft_/i.test(name)) return draftFor('the original was a draft', notes);
  if (!written) return draftFor('its publication date is missing or cannot be read', notes);
  if (written.latest > now) return draftFor(futureDate(written.latest), notes);
  // The draft stores the original publication date. It becomes the post's date when the owner publishes it.
  return {
    ...draftFor('Medium exports do not state who could read the original', notes),
    published_at: written.time.toISOString(),
  };
}
