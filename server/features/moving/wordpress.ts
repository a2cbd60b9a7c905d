import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import {
  excerptOf,
  type ForeignRecord,
  type ForeignSite,
  momentOf,
  scheduled,
  slugOf,
  tagsOf,
} from './foreign-record.ts';
import { plainText } from './plain-text.ts';
import { chunksOf, type SourceFile } from './source-file.ts';
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
  'content:encoded': text,
  'excerpt:encoded': text,
  'wp:post_id': text,
  'wp:post_name': text,
  'wp:status': text,
  'wp:post_type': text,
  'wp:post_date_gmt': text,
  'wp:post_modified_gmt': text,
  'wp:post_password': text,
  'wp:is_sticky': text,
  'wp:attachment_url': text,
  category: z
    .array(z.union([Category, z.string().transform((name) => ({ '#text': name, '@domain': 'category' }))]))
    .default([]),
  'wp:comment': z.array(z.unknown()).default([]),
});

type Item = z.infer<typeof Item>;

/** A WordPress export (WXR): its items one after the other. */
export async function readWordPress(file: SourceFile): Promise<ForeignSite> {
  const address = await addressOf(file);
  return { source: address ? `wordpress ${address}` : 'wordpress', records: recordsOf(file) };
}

/** Where the site was; each counts its items from 1. Of a network's sites, only that of the blog tells them apart. */
async function addressOf(file: SourceFile): Promise<string | null> {
  const pieces = xmlItems(chunksOf(file));
  const { value: piece } = await pieces.next();
  await pieces.return(undefined);
  if (piece?.kind !== 'head') return null;
  const [address] = ['wp:base_blog_url', 'link', 'wp:base_site_url'].flatMap((name) => {
    const found = new RegExp(`<${name}>(?:\\s|<!\\[CDATA\\[)*(?:https?://)?([^\\s<\\]]+)`, 'i').exec(
      piece.text,
    );
    return found?.[1] ?? [];
  });
  return address?.replace(/\/+$/, '').toLowerCase() ?? null;
}

async function* recordsOf(file: SourceFile): AsyncGenerator<ForeignRecord> {
  const xml = parser();
  let place = 0;
  for await (const piece of xmlItems(chunksOf(file))) {
    if (piece.kind === 'head') continue;
    place += 1;
    yield itemOf(xml, piece.text, place);
  }
}

function itemOf(xml: XMLParser, item: string | null, place: number): ForeignRecord {
  const unreadable = (why: string): ForeignRecord => ({
    collection: 'posts',
    sourceId: `item ${place}`,
    title: '',
    values: null,
    notes: [why],
  });
  if (item === null) return unreadable('is longer than a record may be');
  try {
    const known = Item.safeParse(z.object({ item: z.unknown() }).parse(xml.parse(item, true)).item);
    return known.success ? recordOf(known.data, place) : unreadable('is not in the form of WordPress');
  } catch {
    return unreadable('is no XML');
  }
}

/** Kinds of items that become records here. */
const collections: Readonly<Record<string, 'posts' | 'pages'>> = { post: 'posts', page: 'pages' };

function recordOf(item: Item, place: number): ForeignRecord {
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
  if (type === 'attachment') return leftOut(`the file was not fetched: ${item['wp:attachment_url'].trim()}`);
  if (!collection) return leftOut('there is no place for these here');
  const status = item['wp:status'].trim();
  if (status === 'trash' || status === 'auto-draft' || status === 'inherit')
    return leftOut(`its status there is ${status}`);
  const notes: string[] = [];
  const created = gmtOf(item['wp:post_date_gmt']);
  const values = {
    title: about.title || '(untitled)',
    slug: slugOf(collection, item['wp:post_name'].trim(), notes),
    content: bodyOf(item),
    ...stateOf(item, status, notes),
    ...(collection === 'posts' && postFields(item, status, notes)),
  };
  const comments = item['wp:comment'].length;
  if (comments > 0) notes.push(`${comments} ${comments === 1 ? 'comment' : 'comments'} left out`);
  return { ...about, collection, values, notes, created, updated: gmtOf(item['wp:post_modified_gmt']) };
}

/** WordPress writes moments without a zone, and zeros for none. */
const gmtOf = (moment: string) => (moment.trim().startsWith('0000') ? null : momentOf(moment));

/** HTML as it was, without the marks that the block editor keeps for itself. */
const bodyOf = (item: Item) => item['content:encoded'].replace(/<!-- \/?wp:.*?-->\n?/gs, '').trim();

function stateOf(item: Item, status: string, notes: string[]) {
  if (item['wp:post_password'].trim() !== '') {
    notes.push('it had a password, so it is private here');
    return { is_draft: status !== 'publish', visibility: 'private' };
  }
  if (status === 'publish') return { is_draft: false, visibility: 'public' };
  if (status === 'private') return { is_draft: false, visibility: 'private' };
  if (status === 'future') return scheduled(gmtOf(item['wp:post_date_gmt']));
  if (status === 'pending') notes.push('it waited for review, and is a draft here');
  else if (status !== 'draft') notes.push(`its status there was ${status}, it is a draft here`);
  return { is_draft: true };
}

function postFields(item: Item, status: string, notes: string[]) {
  const isPublished = status === 'publish' || status === 'private';
  const date = isPublished ? gmtOf(item['wp:post_date_gmt']) : null;
  const terms = item.category.filter((term) => ['category', 'post_tag'].includes(term['@domain']));
  const names = terms.map((term) => plainText(term['#text'])).filter((name) => name !== 'Uncategorized');
  return {
    excerpt: excerptOf(plainText(item['excerpt:encoded']), notes),
    featured: item['wp:is_sticky'].trim() === '1',
    published_at: date?.toISOString() ?? null,
    tags: tagsOf(names, notes),
  };
}
