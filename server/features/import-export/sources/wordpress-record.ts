import {
  coverTextOf,
  excerptOf,
  type ForeignRecord,
  firstNamesOf,
  metaOf,
  slugOf,
  tagsOf,
} from './foreign-record.ts';
import { addressOf } from './markdown-places.ts';
import { anyZone, readMoment, utc, type Zone } from './moments.ts';
import { plainText } from './plain-text.ts';
import { shortcodesIn } from './unread-markup.ts';
import { type Attachment, bodyOf, noteOfUnsaid } from './wordpress-body.ts';
import type { Item } from './wordpress-item.ts';
import { listsOf, takenTerms } from './wordpress-lists.ts';
import { isOfAccess, publicationOf } from './wordpress-publication.ts';

/** Which item it is, when it is read, and what is known of others. */
export interface ItemContext {
  place: number;
  now: Date;
  /** Files by their ids. */
  attachments: ReadonlyMap<string, Attachment>;
  /** Texts that several posts show, by their ids. */
  patterns: ReadonlyMap<string, string>;
  /** Categories that others are in, by the words that stand for both in addresses. */
  parents: ReadonlyMap<string, string>;
  /** Whether the export has rules of who may read which items. */
  hasRules: boolean;
  /** Whether several people wrote what is in it. */
  hasAuthors: boolean;
}

/** Kinds of items that become records here. */
const collections = new Map<string, 'posts' | 'pages'>([
  ['post', 'posts'],
  ['page', 'pages'],
]);

export const isTaken = (type: string) => collections.has(type);

export function recordOf(item: Item, context: ItemContext): ForeignRecord {
  const { place, now, attachments, hasRules } = context;
  const type = item['wp:post_type'].trim() || 'post';
  const about = { sourceId: item['wp:post_id'].trim() || `item ${place}`, title: plainText(item.title) };
  const collection = collections.get(type);
  const leftOut = (why: string): ForeignRecord => ({
    ...about,
    collection: collection ?? type,
    values: null,
    notes: [`Not imported: ${why}`],
    isLeftOut: true,
  });
  const file = item['wp:attachment_url'].trim();
  if (type === 'attachment')
    return {
      ...leftOut(`no new post shows this file, or images were not downloaded (${file})`),
      places: [file],
    };
  if (!collection) return leftOut(`entries of the type ${type} have no equivalent here`);
  const status = item['wp:status'].trim();
  if (status === 'trash' || status === 'auto-draft' || status === 'inherit')
    return leftOut(`its status in WordPress is ${status}`);
  const notes: string[] = [];
  const date = dateOf(item);
  const values = {
    title: about.title || '(untitled)',
    slug: slugOf(collection, item['wp:post_name'].trim(), notes),
    content: bodyOf(item, attachments, notes),
    ...(collection === 'posts' && postFields(item, notes)),
    ...seoFields(item, notes),
    ...publicationOf(item, { status, date, now, hasRules, isPost: collection === 'posts' }, notes),
  };
  const thumbnail = metaIn(item, '_thumbnail_id');
  const cover = attachments.get(thumbnail);
  if (thumbnail && !cover) notes.push('Cover image not imported: the export does not contain it');
  if (cover?.isUnsaid && !notes.includes(noteOfUnsaid)) notes.push(noteOfUnsaid);
  const shortcodes = shortcodesIn(values.content);
  if (shortcodes) notes.push(shortcodes);
  noteLeftOut(item, context, notes);
  const comments = item['wp:comment'].length;
  if (comments > 0) notes.push(`Comments not imported: ${comments}`);
  const updated = momentIn(item['wp:post_modified_gmt']) ?? momentIn(item['wp:post_modified']) ?? null;
  const places = [item.link, item.guid].flatMap((address) => placeholderOf(address.trim()));
  const { pathname, search } = URL.parse(item.link.trim()) ?? { pathname: '/', search: '' };
  if (search !== '' && !values.is_draft)
    notes.push(`No redirect created: the old URL has only a query and no path (${search})`);
  return {
    ...about,
    ...{ collection, values, notes, places, updated },
    ...(cover && { cover: cover.address, coverText: coverTextOf(cover.alt, cover.caption, notes) }),
    ...(collection === 'posts' && { lists: listsOf(item, context.parents) }),
    addresses: search === '' && pathname !== '/' ? [pathname] : [],
    created: date && date.latest <= now ? date.moment : updated,
  };
}

/** Where an address leads on its site: by a path, or by an id. */
function placeholderOf(address: string): string[] {
  const url = URL.parse(address);
  if (!url) return [];
  return url.search === '' ? [addressOf(url.pathname)] : [`/${url.search}`];
}

/** WordPress writes moments without a zone, and zeros for none. */
const writtenIn = (moment: string, zones: readonly Zone[]) =>
  moment.trim().startsWith('0000') ? null : readMoment(moment, zones);

const momentIn = (moment: string) => writtenIn(moment, [utc])?.moment;

/** What was not published has no moment in UTC, but one by the site's own clock. */
const dateOf = (item: Item) =>
  writtenIn(item['wp:post_date_gmt'], [utc]) ??
  writtenIn(item['wp:post_date'], anyZone) ??
  readMoment(item.pubDate, anyZone);

function postFields(item: Item, notes: string[]) {
  const terms = item.category.filter((term) => takenTerms.includes(term['@domain']));
  const names = terms.map((term) => plainText(term['#text'])).filter((name) => name !== 'Uncategorized');
  return {
    excerpt: excerptOf(plainText(item['excerpt:encoded']), notes),
    featured: item['wp:is_sticky'].trim() === '1',
    tags: tagsOf(names, notes),
  };
}

/** What plugins, themes and authors add to a post that has no place here. WordPress hides fields whose names begin with a line below. */
function noteLeftOut(item: Item, { hasAuthors }: ItemContext, notes: string[]) {
  const creator = item['dc:creator'].trim();
  if (hasAuthors && creator) notes.push(`Author not imported: ${creator.slice(0, 100)}`);
  const terms = item.category
    .filter((term) => !takenTerms.includes(term['@domain']))
    .map((term) => `${term['@domain']} ${plainText(term['#text'])}`);
  const fields = item['wp:postmeta'].flatMap((meta) =>
    meta['wp:meta_value'].trim() === '' ? [] : meta['wp:meta_key'].trim(),
  );
  const own = fields.filter(
    (name) => name !== '' && name !== 'footnotes' && !/^_|^rank_math_/.test(name) && !isOfAccess(name),
  );
  for (const [what, names] of Object.entries({ Terms: terms, 'Custom fields': [...new Set(own)] }))
    if (names.length > 0) notes.push(`${what} not imported: ${firstNamesOf(names)}`);
}

/** Fields in which plugins keep what search engines are told, the first that says something. */
const seo = {
  title: ['_yoast_wpseo_title', 'rank_math_title', '_aioseo_title', '_seopress_titles_title'],
  description: [
    '_yoast_wpseo_metadesc',
    'rank_math_description',
    '_aioseo_description',
    '_seopress_titles_desc',
  ],
  unplaced: ['_yoast_wpseo_canonical', 'rank_math_canonical_url'],
} as const;

const metaIn = (item: Item, ...names: readonly string[]) =>
  names
    .map((name) =>
      item['wp:postmeta'].find((meta) => meta['wp:meta_key'].trim() === name)?.['wp:meta_value'].trim(),
    )
    .find(Boolean) ?? '';

function seoFields(item: Item, notes: string[]) {
  // Plugins put in names of their own, which mean nothing here: `%%title%% %%sep%% %%sitename%%`.
  const plain = (name: string, text: string) => {
    if (!/%%?[a-z_]+%|#[a-z_]{3,}/.test(text)) return plainText(text);
    notes.push(`Field ${name} not imported: it contains placeholders of an SEO plugin`);
    return '';
  };
  const left = seo.unplaced.filter((name) => metaIn(item, name));
  if (left.length > 0) notes.push(`Fields not imported: ${left.join(', ')}`);
  return metaOf(
    plain('meta_title', metaIn(item, ...seo.title)),
    plain('meta_description', metaIn(item, ...seo.description)),
    notes,
  );
}
