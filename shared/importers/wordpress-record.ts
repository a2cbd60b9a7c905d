import {
  coverTextOf,
  draftFor,
  excerptOf,
  excluded,
  type ForeignRecord,
  firstNamesOf,
  futureDate,
  metaOf,
  scheduled,
  slugOf,
  tagsOf,
} from './foreign-record.ts';
import { listsOfAll, listsOfTag } from './list-redirects.ts';
import { addressOf } from './markdown-places.ts';
import { anyZone, readTime, utc, type WrittenTime, type Zone } from './parse-time.ts';
import { plainText } from './plain-text.ts';
import { shortcodesIn } from './unsupported-markup.ts';
import { type Attachment, bodyOf, noteOfUnsaid } from './wordpress-body.ts';
import { type Item, metaIn } from './wordpress-item.ts';

/** Position of an item, time of the import, and data of other items. */
export interface ItemContext {
  place: number;
  now: Date;
  attachments: ReadonlyMap<string, Attachment>;
  /** Shared patterns (reusable blocks) of the export, by ID. */
  patterns: ReadonlyMap<string, string>;
  /** Slugs of parent categories, by the slugs of their children. */
  parents: ReadonlyMap<string, string>;
  /** True if the export contains access rules of a membership plugin. */
  hasRules: boolean;
  hasAuthors: boolean;
}

/** Types of items that become records. */
const collections = new Map<string, 'posts' | 'pages'>([
  ['post', 'posts'],
  ['page', 'pages'],
]);

export const isTaken = (type: string) => collections.has(type);

/**
 * Converts an item of a WordPress export to a post or a page. The values are null for an item that is not imported,
 * with the reason in the notes.
 */
export function recordOf(item: Item, context: ItemContext): ForeignRecord {
  const { place: position, now, attachments } = context;
  const type = item['wp:post_type'].trim() || 'post';
  const about = { sourceId: item['wp:post_id'].trim() || `item ${position}`, title: plainText(item.title) };
  const collection = collections.get(type);
  const refused = (why: string) => excluded({ ...about, collection: collection ?? type }, why);
  const file = item['wp:attachment_url'].trim();
  if (type === 'attachment')
    return {
      ...refused(`no new post shows this file, or images were not downloaded (${file})`),
      places: [file],
    };
  if (!collection) return refused(`entries of the type ${type} have no equivalent here`);
  const status = item['wp:status'].trim();
  if (status === 'trash' || status === 'auto-draft' || status === 'inherit')
    return refused(`its status in WordPress is ${status}`);
  const notes: string[] = [];
  const date = dateOf(item);
  const values = {
    title: about.title || '(untitled)',
    slug: slugOf(collection, item['wp:post_name'].trim(), notes),
    content: bodyOf(item, attachments, notes),
    ...(collection === 'posts' && postFields(item, notes)),
    ...seoFields(item, notes),
    ...publicationOf(item, collection, date, context, notes),
  };
  const thumbnail = metaIn(item, '_thumbnail_id');
  const cover = attachments.get(thumbnail);
  if (thumbnail && !cover) notes.push('Cover image not imported: the export does not contain it');
  if (cover?.isUnsaid && !notes.includes(noteOfUnsaid)) notes.push(noteOfUnsaid);
  const shortcodes = shortcodesIn(values.content);
  if (shortcodes) notes.push(shortcodes);
  noteExcluded(item, context, notes);
  const comments = item['wp:comment'].length;
  if (comments > 0) notes.push(`Comments not imported: ${comments}`);
  const updated = utcTime(item['wp:post_modified_gmt']) ?? utcTime(item['wp:post_modified']) ?? null;
  const positions = [item.link, item.guid].flatMap((address) => placeholderOf(address.trim()));
  const { pathname, search } = URL.parse(item.link.trim()) ?? { pathname: '/', search: '' };
  if (search !== '' && !values.is_draft)
    notes.push(`No redirect created: the old URL has only a query and no path (${search})`);
  return {
    ...about,
    ...{ collection, values, notes, places: positions, updated },
    ...(cover && { cover: cover.address, coverText: coverTextOf(cover.alt, cover.caption, notes) }),
    ...(collection === 'posts' && { lists: listsOf(item, context.parents) }),
    addresses: search === '' && pathname !== '/' ? [pathname] : [],
    created: date && date.latest <= now ? date.time : updated,
  };
}

/** Location of a URL on its site: a path, or a query with an ID. */
function placeholderOf(address: string): string[] {
  const url = URL.parse(address);
  if (!url) return [];
  return url.search === '' ? [addressOf(url.pathname)] : [`/${url.search}`];
}

/** Reads a time of WordPress, which has no zone. A missing one consists of zeros. */
const writtenIn = (timestamp: string, zones: readonly Zone[]) =>
  timestamp.trim().startsWith('0000') ? null : readTime(timestamp, zones);

const utcTime = (timestamp: string) => writtenIn(timestamp, [utc])?.time;

/** Date of an item. Unpublished items have no date in UTC, only one in the site's time zone. */
const dateOf = (item: Item) =>
  writtenIn(item['wp:post_date_gmt'], [utc]) ??
  writtenIn(item['wp:post_date'], anyZone) ??
  readTime(item.pubDate, anyZone);

function postFields(item: Item, notes: string[]) {
  const terms = item.category.filter((term) => takenTerms.includes(term['@domain']));
  const names = terms.map((term) => plainText(term['#text'])).filter((name) => name !== 'Uncategorized');
  return {
    excerpt: excerptOf(plainText(item['excerpt:encoded']), notes),
    featured: item['wp:is_sticky'].trim() === '1',
    tags: tagsOf(names, notes),
  };
}

/**
 * Notes parts of a post that are not imported: custom terms and custom fields, and the author if the export has
 * several. Fields that begin with an underscore are internal to WordPress and not noted.
 */
function noteExcluded(item: Item, { hasAuthors }: ItemContext, notes: string[]) {
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

/** Fields in which plugins store the meta title and description, in the order in which they are used. */
const seo = {
  title: ['_yoast_wpseo_title', 'rank_math_title', '_aioseo_title', '_seopress_titles_title'],
  description: [
    '_yoast_wpseo_metadesc',
    'rank_math_description',
    '_aioseo_description',
    '_seopress_titles_desc',
  ],
  unsupported: ['_yoast_wpseo_canonical', 'rank_math_canonical_url'],
} as const;

function seoFields(item: Item, notes: string[]) {
  // SEO plugins use placeholders, such as `%%title%% %%sep%% %%sitename%%`.
  const plain = (name: string, text: string) => {
    if (!/%%?[a-z_]+%|#[a-z_]{3,}/.test(text)) return plainText(text);
    notes.push(`Field ${name} not imported: it contains placeholders of an SEO plugin`);
    return '';
  };
  const left = seo.unsupported.filter((name) => metaIn(item, name));
  if (left.length > 0) notes.push(`Fields not imported: ${left.join(', ')}`);
  return metaOf(
    plain('meta_title', metaIn(item, ...seo.title)),
    plain('meta_description', metaIn(item, ...seo.description)),
    notes,
  );
}

function publicationOf(
  item: Item,
  collection: 'posts' | 'pages',
  date: WrittenTime | null,
  { now, hasRules }: ItemContext,
  notes: string[],
) {
  const status = item['wp:status'].trim();
  const why = whyDraft(item, status, hasRules);
  if (why) return draftFor(why, notes);
  // Without a date in UTC, use the latest possible time, so that nothing is published early.
  if (status === 'future') return scheduled(date?.latest ?? null, now, notes);
  if (date && date.latest > now) return draftFor(futureDate(date.latest), notes);
  noteEnd(item, notes);
  const isUnlisted = item['wp:postmeta'].some((meta) =>
    isNotIndexed(meta['wp:meta_key'], meta['wp:meta_value']),
  );
  if (isUnlisted) notes.push('Imported as unlisted: the original was hidden from search engines');
  return {
    is_draft: false,
    ...(isUnlisted && { visibility: 'unlisted' }),
    ...(collection === 'posts' && { published_at: date?.time.toISOString() ?? null }),
  };
}

function noteEnd(item: Item, notes: string[]) {
  const end = item['wp:postmeta'].find((meta) => meta['wp:meta_key'].trim() === '_expiration-date');
  if (end) notes.push('Expiry date not imported: it stays public until you unpublish it');
}

const isNotIndexed = (key: string, value: string) =>
  (key.trim() === '_yoast_wpseo_meta-robots-noindex' && value.trim() === '1') ||
  (/^(?:rank_math_robots|_aioseo_robots_noindex|_seopress_robots_index)$/.test(key.trim()) &&
    /noindex|^(?:1|yes)$/.test(value.trim()));

const states = new Map([
  ['draft', 'the original was a draft'],
  ['pending', 'the original was waiting for review'],
  ['private', 'the original was private'],
]);

function whyDraft(item: Item, status: string, hasRules: boolean): string | null {
  if (item['wp:post_password'].trim() !== '') return 'the original has a password';
  if (status !== 'publish' && status !== 'future')
    return states.get(status) ?? `the original had the unknown status “${status}”`;
  const closed = item['wp:postmeta'].find((meta) => isClosing(meta['wp:meta_key'], meta['wp:meta_value']));
  if (closed)
    return `the plugin field ${closed['wp:meta_key'].trim().slice(0, 50)} restricts who may read the original`;
  const [mark] = closingMarks.exec(item['content:encoded']) ?? [];
  if (mark !== undefined) return `a part of the original was not for everyone (${mark.slice(0, 50)})`;
  return hasRules ? 'the old site has access rules of a membership plugin, which imports cannot read' : null;
}

/** True for types of items in which membership plugins store access rules for other items. */
export const isRule = (type: string) =>
  /^(?:memberpressrule|wc_membership_plan|llms_membership|um_role|restrict-content-pro|rcp_\w+)$/.test(type);

/** Names of fields with which membership plugins restrict a post. */
const closingField =
  /(?:^|[_-])(?:members?|memberships?|memberful|wpmem|restrict(?:ed|ion|ions)?|content_restriction|paywall|paid|premium|protect(?:ed|ion)?|access|acl|private|hidden|unlisted|s2member|swpm|rcp|pmpro|patreon)(?:[_-]|$)/i;

const open: ReadonlySet<string> = new Set([
  ...['', '0', 'no', 'none', 'false', 'off', 'null', 'default', 'inherit', 'a:0:{}', '[]'],
  ...['everybody', 'everyone', 'public', 'all', 'open', 'free', 'visible'],
]);

const isOfAccess = (key: string) => closingField.test(key.trim());

const isClosing = (key: string, value: string) => isOfAccess(key) && !open.has(value.trim().toLowerCase());

/** Blocks, block settings and shortcodes around content for some readers only. */
const closingMarks =
  /<!-- wp:[\w/-]{0,60}(?:member|paywall|pmpro|premium|protect|restrict)[\w/-]{0,60}|"blockVisibility"\s?:|\[(?:members?[_\]]|members?only|membership|restrict|private|protected|wpmem_|s2|mepr-|swpm_|wlm_|rcp_|pmpro_|um_|ihc-hide|passster|content_protector|paywall|wcm_restrict|groups_member|user_only|(?:is_)?logged_?in|hidden?[\s\]])/i;

const takenTerms: readonly string[] = ['category', 'post_tag'];

/** Lists that contained a post, at WordPress's default paths. */
function listsOf(item: Item, parents: ReadonlyMap<string, string>) {
  const at = (path: string) => ({ path, feed: 'feed' });
  // WordPress makes the slug of an author from the login name.
  const author = item['dc:creator']
    .trim()
    .toLowerCase()
    .replace(/[\s.]+/g, '-')
    .replace(/[^a-z0-9_-]/g, '');
  return new Map([
    ...item.category
      .filter((term) => takenTerms.includes(term['@domain']) && term['@nicename'] !== '')
      .flatMap((term) => {
        const name = plainText(term['#text']).trim();
        if (name === 'Uncategorized') return [];
        const word = term['@nicename'];
        const isCategory = term['@domain'] === 'category';
        const paths = isCategory
          ? [`/category/${word}`, `/category/${within(word, parents)}`]
          : [`/tag/${word}`];
        return paths.flatMap((path) => listsOfTag(name, at(path)));
      }),
    ...(author === '' ? [] : listsOfAll(at(`/author/${author}`))),
  ]);
}

/** Maximum depth of nested categories in a path. */
const deepest = 10;

/** Path of a category below its parents. */
function within(category: string, parents: ReadonlyMap<string, string>): string {
  const path = [category];
  for (let next = parents.get(category); next && path.length < deepest; next = parents.get(next))
    path.unshift(next);
  return path.join('/');
}
