import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import {
  draftFor,
  excerptOf,
  type ForeignRecord,
  type ForeignSite,
  minuteOf,
  scheduled,
  slugOf,
  tagsOf,
  withoutEnding,
} from './foreign-record.ts';
import { addressOf } from './markdown-places.ts';
import { momentOf } from './moments.ts';
import { decodeEntities, plainText } from './plain-text.ts';
import type { Content } from './source-file.ts';
import { xmlItems } from './xml-items.ts';

const parser = () =>
  new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    textNodeName: '#text',
    parseTagValue: false,
    trimValues: false,
    isArray: (name) => ['category', 'wp:comment', 'wp:postmeta'].includes(name),
  });

/** A tag without attributes is its text; one with them, an object. */
const text = z
  .union([z.string(), z.object({ '#text': z.string().optional() }).transform((tag) => tag['#text'] ?? '')])
  .default('');

const Category = z.object({
  '#text': z.string().default(''),
  '@domain': z.string().default('category'),
});

const Item = z.object({
  title: text,
  link: text,
  guid: text,
  'content:encoded': text,
  'excerpt:encoded': text,
  'wp:post_id': text,
  'wp:post_name': text,
  'wp:status': text,
  'wp:post_type': text,
  pubDate: text,
  'wp:post_date': text,
  'wp:post_date_gmt': text,
  'wp:post_modified': text,
  'wp:post_modified_gmt': text,
  'wp:post_password': text,
  'wp:is_sticky': text,
  'wp:attachment_url': text,
  category: z
    .array(z.union([Category, z.string().transform((name) => ({ '#text': name, '@domain': 'category' }))]))
    .default([]),
  'wp:comment': z.array(z.unknown()).default([]),
  'wp:postmeta': z
    .array(
      z
        .object({ 'wp:meta_key': text, 'wp:meta_value': text })
        .catch({ 'wp:meta_key': '', 'wp:meta_value': '' }),
    )
    .default([]),
});

type Item = z.infer<typeof Item>;

/** A WordPress export (WXR): its items one after the other. Its pictures are at the old site. */
export async function readWordPress(content: Content, now: Date): Promise<ForeignSite> {
  const address = await siteAddressOf(content);
  const own = URL.parse(`http://${address ?? ''}`);
  const originals = await attachmentsOf(content);
  const hosts = new Set([own?.host ?? '', ...originals.values().map((url) => URL.parse(url)?.host ?? '')]);
  hosts.delete('');
  return {
    source: address ? `wordpress ${address}` : 'wordpress',
    form: 'html',
    records: () => recordsOf(content, now),
    placesOf: ({ target }, { places = [] }) =>
      placesOf(target, { own, hosts, originals, from: places[0] ?? '/' }),
    pictureAt: (place) => (isPicture.test(place) ? place : null),
  };
}

/** Addresses of pictures, which are places of their own. */
const isPicture = /^https?:\/\/[^?#]+\.(?:jpe?g|png|gif|webp|avif)(?:[?#]|$)/i;

interface OldSite {
  own: URL | null;
  /** Where pages and files of the old site are. */
  hosts: ReadonlySet<string>;
  /** Addresses of files, by where they are on their hosts. */
  originals: ReadonlyMap<string, string>;
  /** Where what is read is. */
  from: string;
}

function placesOf(target: string, { own, hosts, originals, from }: OldSite): string[] {
  if (target.startsWith('#') || own === null) return [];
  const url = URL.parse(target, new URL(from, own));
  if (!url || !/^https?:$/.test(url.protocol)) return [];
  // A network of theirs serves copies of pictures: `https://i0.wp.com/HOST/PATH`.
  const copied = /^i\d\.wp\.com$/.test(url.host) ? URL.parse(`https:/${url.pathname}`) : null;
  const { host, pathname, search, href } = copied ?? url;
  if (!hosts.has(host) && withoutWww(host) !== withoutWww(own.host)) return [];
  if (!isPicture.test(href)) return [...(search === '' ? [] : [`/${search}`]), addressOf(pathname)];
  // Smaller copies are made here.
  const original = originals.get(pathname.replace(/-\d+x\d+(?=\.\w+$)/, '')) ?? originals.get(pathname);
  return [original ?? `${url.protocol}//${host}${pathname}`];
}

const withoutWww = (host: string) => host.replace(/^www\./, '');

/** The addresses of all files that the export names. */
async function attachmentsOf(content: Content): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const piece of xmlItems(content())) {
    if (piece.kind === 'head' || piece.text === null) continue;
    const [, written = ''] = /<wp:attachment_url>(?:<!\[CDATA\[)?([^<\]]+)/.exec(piece.text) ?? [];
    const address = decodeEntities(written.trim());
    const url = URL.parse(address);
    if (url) found.set(url.pathname, address);
  }
  return found;
}

/** Where the site was; each counts its items from 1. Of a network's sites, only that of the blog tells them apart. */
async function siteAddressOf(content: Content): Promise<string | null> {
  const pieces = xmlItems(content());
  const { value: piece } = await pieces.next();
  await pieces.return(undefined);
  if (piece?.kind !== 'head') return null;
  const [address] = ['wp:base_blog_url', 'link', 'wp:base_site_url'].flatMap((name) => {
    const found = new RegExp(`<${name}>(?:\\s|<!\\[CDATA\\[)*(?:https?://)?([^\\s<\\]]+)`, 'i').exec(
      piece.text,
    );
    return found?.[1] ?? [];
  });
  return address ? withoutEnding(address, '/').toLowerCase() : null;
}

async function* recordsOf(content: Content, now: Date): AsyncGenerator<ForeignRecord> {
  const xml = parser();
  let place = 0;
  for await (const piece of xmlItems(content())) {
    if (piece.kind === 'head') continue;
    place += 1;
    const record = itemOf(xml, piece.text, { place, now });
    const note = piece.text === null ? null : piece.note;
    yield note ? { ...record, notes: [note, ...(record.notes ?? [])] } : record;
  }
}

/** Which item it is, and when it is read. */
interface Around {
  place: number;
  now: Date;
}

function itemOf(xml: XMLParser, item: string | null, { place, now }: Around): ForeignRecord {
  const unreadable = (why: string): ForeignRecord => ({
    collection: 'posts',
    sourceId: `item ${place}`,
    title: '',
    values: null,
    notes: [why],
  });
  if (item === null) return unreadable('is longer than a record may be');
  try {
    const known = itemIn(xml, item);
    return known ? recordOf(known, { place, now }) : unreadable('is not in the form of WordPress');
  } catch {
    return unreadable('is no XML');
  }
}

/** Null for what is not in the form of WordPress. Throws for what is no XML. */
function itemIn(xml: XMLParser, item: string): Item | null {
  const known = Item.safeParse(z.object({ item: z.unknown() }).parse(xml.parse(item, true)).item);
  return known.success ? known.data : null;
}

/** Kinds of items that become records here. */
const collections: Readonly<Record<string, 'posts' | 'pages'>> = { post: 'posts', page: 'pages' };

function recordOf(item: Item, { place, now }: Around): ForeignRecord {
  const type = item['wp:post_type'].trim() || 'post';
  const about = { sourceId: item['wp:post_id'].trim() || `item ${place}`, title: plainText(item.title) };
  const collection = collections[type];
  const leftOut = (why: string): ForeignRecord => ({
    ...about,
    collection: collection ?? type,
    values: null,
    notes: [why],
    isLeftOut: true,
  });
  const file = item['wp:attachment_url'].trim();
  if (type === 'attachment') return { ...leftOut(`the file was not fetched: ${file}`), places: [file] };
  if (!collection) return leftOut('there is no place for these here');
  const status = item['wp:status'].trim();
  if (status === 'trash' || status === 'auto-draft' || status === 'inherit')
    return leftOut(`its status there is ${status}`);
  const notes: string[] = [];
  const date = dateOf(item);
  const values = {
    title: about.title || '(untitled)',
    slug: slugOf(collection, item['wp:post_name'].trim(), notes),
    content: bodyOf(item),
    ...(collection === 'posts' && postFields(item, notes)),
    ...stateOf(item, { status, date, now, isPost: collection === 'posts' }, notes),
  };
  const comments = item['wp:comment'].length;
  if (comments > 0) notes.push(`${comments} ${comments === 1 ? 'comment' : 'comments'} left out`);
  const updated = momentIn(item['wp:post_modified_gmt']) ?? momentIn(item['wp:post_modified']);
  const places = [item.link, item.guid].flatMap((address) => placeOf(address.trim()));
  return {
    ...about,
    ...{ collection, values, notes, places, updated },
    created: date && date <= now ? date : updated,
  };
}

/** Where an address leads on its site: by a path, or by an id. */
function placeOf(address: string): string[] {
  const url = URL.parse(address);
  if (!url) return [];
  return url.search === '' ? [addressOf(url.pathname)] : [`/${url.search}`];
}

/** WordPress writes moments without a zone, and zeros for none. */
const momentIn = (moment: string) => (moment.trim().startsWith('0000') ? null : momentOf(moment));

/** What was not published has no moment in UTC. */
const dateOf = (item: Item) =>
  momentIn(item['wp:post_date_gmt']) ?? momentIn(item['wp:post_date']) ?? momentOf(item.pubDate);

/** HTML as it was, without the marks that the block editor keeps for itself. */
function bodyOf(item: Item): string {
  const text = item['content:encoded'];
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: mark, index } of text.matchAll(/<!-- \/?wp:/g)) {
    if (index < from) continue;
    const end = text.indexOf('-->', index + mark.length);
    if (end < 0) break;
    pieces.push(text.slice(from, index));
    from = text[end + 3] === '\n' ? end + 4 : end + 3;
  }
  return [...pieces, text.slice(from)].join('').trim();
}

interface State {
  status: string;
  date: Date | null;
  now: Date;
  isPost: boolean;
}

function stateOf(item: Item, { status, date, now, isPost }: State, notes: string[]) {
  const why = whyDraft(item, status);
  if (why) return draftFor(why, notes);
  if (status === 'future') return scheduled(date, now, notes);
  if (date && date > now) return draftFor(`its date is ${minuteOf(date)}`, notes);
  return { is_draft: false, ...(isPost && { published_at: date?.toISOString() ?? null }) };
}

const states: Readonly<Record<string, string>> = {
  draft: 'it was a draft',
  pending: 'it waited for review',
  private: 'it was private',
};

function whyDraft(item: Item, status: string): string | null {
  if (item['wp:post_password'].trim() !== '') return 'it has a password';
  if (status !== 'publish' && status !== 'future') return states[status] ?? `its status there was ${status}`;
  const closed = item['wp:postmeta'].find((meta) => isClosing(meta['wp:meta_key'], meta['wp:meta_value']));
  if (closed) return `it is not for everybody there (${closed['wp:meta_key'].trim()})`;
  const [mark] = closingMarks.exec(item['content:encoded']) ?? [];
  return mark === undefined ? null : `a part of it is not for everybody there (${mark.slice(0, 50)})`;
}

/** Fields by which plugins for members close a post, and what they say of one that is open. */
const closingFields: Readonly<Record<string, string>> = {
  _jetpack_newsletter_access: 'everybody',
  _members_access_role: '',
  _memberful_acl: '',
  _wpmem_block: '0',
  rcp_access_level: 'None',
  rcp_subscription_level: '',
};

function isClosing(key: string, value: string): boolean {
  const open = Object.hasOwn(closingFields, key.trim()) ? closingFields[key.trim()] : undefined;
  return open !== undefined && value.trim() !== '' && value.trim() !== open;
}

/** Blocks and shortcodes of such plugins, around what only some may read. */
const closingMarks =
  /<!-- wp:(?:premium-content\/|jetpack\/paywall)|\[(?:members?_|members?only|membership|restrict|private|protected|wpmem_|s2|mepr-|rcp_|pmpro_|um_|ihc-hide)/i;

function postFields(item: Item, notes: string[]) {
  const terms = item.category.filter((term) => ['category', 'post_tag'].includes(term['@domain']));
  const names = terms.map((term) => plainText(term['#text'])).filter((name) => name !== 'Uncategorized');
  return {
    excerpt: excerptOf(plainText(item['excerpt:encoded']), notes),
    featured: item['wp:is_sticky'].trim() === '1',
    tags: tagsOf(names, notes),
  };
}
