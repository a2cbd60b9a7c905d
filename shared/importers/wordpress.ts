import type { XMLParser } from 'fast-xml-parser';
import { decodedPath } from '../contract/site-paths.ts';
import {
  type ForeignRecord,
  type ForeignSite,
  noted,
  tooLong,
  unreadable,
  withoutEnding,
} from './foreign-record.ts';
import { addressOf } from './markdown-places.ts';
import { decodeEntities } from './plain-text.ts';
import type { FileContent } from './source-file.ts';
import { type Attachment, withPatterns } from './wordpress-body.ts';
import { createItemParser, itemOf } from './wordpress-item.ts';
import { type ItemContext, isRule, isTaken, recordOf } from './wordpress-record.ts';
import { xmlItems } from './xml-items.ts';

/**
 * Opens a WordPress export (WXR). Its images are still on the old site. Throws `SourceError` if the file is not one.
 */
export async function readWordPress(content: FileContent, now: Date): Promise<ForeignSite> {
  const head = await headOf(content);
  const address = siteAddressOf(head);
  const parents = parentsOf(head);
  const own = URL.parse(`http://${address ?? ''}`);
  const { originals, attachments, patterns, creators, hasRules } = await lookUp(content);
  const hosts = new Set([own?.host ?? '', ...originals.values().map((url) => URL.parse(url)?.host ?? '')]);
  hosts.delete('');
  return {
    source: address ? `wordpress ${address}` : 'wordpress',
    hasSharedIds: !address,
    form: 'html',
    records: () =>
      recordsOf(content, {
        now,
        attachments,
        patterns,
        hasRules,
        hasAuthors: creators.size > 1,
        parents,
      }),
    placesOf: ({ target }, { addresses = [], places: positions = [] }) =>
      placesOf(target, addresses[0] ?? positions[0] ?? '/', own, hosts, originals),
    pictureAt: (position) => (isImage.test(position) ? position : null),
  };
}

/** URLs of images, which are locations of their own. */
const isImage = /^https?:\/\/[^?#]+\.(?:jpe?g|png|gif|webp|avif)(?:[?#]|$)/i;

/** Returns the locations of a target on the page at `from`; `originals` are URLs of files by their paths. */
function placesOf(
  target: string,
  from: string,
  own: URL | null,
  hosts: ReadonlySet<string>,
  originals: ReadonlyMap<string, string>,
): string[] {
  if (target.startsWith('#') || own === null) return [];
  const url = URL.parse(target, new URL(from, own));
  if (!url || !/^https?:$/.test(url.protocol)) return [];
  // WordPress serves copies of images from its own network: `https://i0.wp.com/HOST/PATH`.
  const copied = /^i\d\.wp\.com$/.test(url.host) ? URL.parse(`https:/${url.pathname}`) : null;
  const { host, pathname, search, href } = copied ?? url;
  if (!hosts.has(host) && withoutWww(host) !== withoutWww(own.host)) return [];
  if (!isImage.test(href)) return [...(search === '' ? [] : [`/${search}`]), addressOf(pathname)];
  // Use the original of a resized image, since renditions are made here.
  const path = comparablePath(pathname);
  const original = originals.get(path.replace(/-\d+x\d+(?=\.\w+$)/, '')) ?? originals.get(path);
  return [original ?? `${url.protocol}//${host}${pathname}`];
}

const withoutWww = (host: string) => host.replace(/^www\./, '');

async function headOf(content: FileContent): Promise<string> {
  const pieces = xmlItems(content());
  const { value: piece } = await pieces.next();
  await pieces.return(undefined);
  return piece?.kind === 'head' ? piece.text : '';
}

/**
 * Address of the old site, which distinguishes sites with equal item IDs; null if the export has none. In a network, only the
 * blog's own URL is unique.
 */
function siteAddressOf(head: string): string | null {
  const [address] = ['wp:base_blog_url', 'link', 'wp:base_site_url'].flatMap((name) => {
    const found = new RegExp(`<${name}>(?:\\s|<!\\[CDATA\\[)*(?:https?://)?([^\\s<\\]]+)`, 'i').exec(head);
    return found?.[1] ?? [];
  });
  return address ? withoutEnding(address, '/').toLowerCase() : null;
}

async function* recordsOf(
  content: FileContent,
  around: Omit<ItemContext, 'place'>,
): AsyncGenerator<ForeignRecord> {
  const parser = createItemParser();
  let position = 0;
  for await (const piece of xmlItems(content())) {
    if (piece.kind === 'head') continue;
    position += 1;
    yield noted(
      recordIn(parser, piece.text, { ...around, place: position }),
      piece.text === null ? null : piece.note,
    );
  }
}

function recordIn(parser: XMLParser, xml: string | null, around: ItemContext): ForeignRecord {
  const refused = (why: string) => unreadable({ collection: 'posts', sourceId: `item ${around.place}` }, why);
  if (xml === null) return refused(tooLong);
  if (hasMoreSigns(xml, maxSigns))
    return refused(`it has more than ${maxSigns.toLocaleString('en')} XML tags`);
  try {
    const item = itemOf(parser, xml);
    return item
      ? recordOf(withPatterns(item, around.patterns), around)
      : refused('it does not have the fields of a WordPress item');
  } catch {
    return refused('it is not valid XML');
  }
}

/**
 * Maximum number of `<` in an item, because the parser keeps all tags in memory. A post with 5,000 comments has half as
 * many.
 */
const maxSigns = 250_000;

function hasMoreSigns(item: string, max: number): boolean {
  let at = -1;
  for (let signs = 0; signs <= max; signs += 1) {
    at = item.indexOf('<', at + 1);
    if (at < 0) return false;
  }
  return true;
}

/**
 * Reads what items refer to: file URLs by path, attachments and shared patterns by ID, and up to two authors. Also returns
 * whether the export has access rules of a plugin.
 */
async function lookUp(content: FileContent) {
  const originals = new Map<string, string>();
  const attachments = new Map<string, Attachment>();
  const patterns = new Map<string, string>();
  const creators = new Set<string>();
  const left = { patterns: maxPatternCharacters, said: maxTextCharacters };
  let hasRules = false;
  for await (const piece of xmlItems(content())) {
    if (piece.kind === 'head' || piece.text === null) continue;
    const type = textOfTag(piece.text, 'wp:post_type');
    hasRules ||= isRule(type);
    const creator = isTaken(type) && creators.size < 2 ? textOfTag(piece.text, 'dc:creator') : '';
    if (creator !== '') creators.add(creator);
    const id = textOfTag(piece.text, 'wp:post_id');
    const shown = type === 'wp_block' && textOfTag(piece.text, 'wp:status') === 'publish';
    const pattern = shown ? textOfTag(piece.text, 'content:encoded') : '';
    if (pattern !== '' && pattern.length <= maxPatternLength) {
      left.patterns -= pattern.length;
      if (left.patterns >= 0) patterns.set(id, pattern);
    }
    const address = decodeEntities(textOfTag(piece.text, 'wp:attachment_url'));
    const url = URL.parse(address);
    if (!url) continue;
    originals.set(comparablePath(url.pathname), address);
    const alt = decodeEntities(altIn(piece.text));
    const caption = textOfTag(piece.text, 'excerpt:encoded');
    const isUnsaid = alt.length + caption.length > left.said;
    if (!isUnsaid) left.said -= alt.length + caption.length;
    attachments.set(id, { address, isUnsaid, ...(isUnsaid ? { alt: '', caption: '' } : { alt, caption }) });
  }
  return { originals, attachments, patterns, creators, hasRules };
}

/** Form in which file paths are compared. */
const comparablePath = (path: string) => decodedPath(path).normalize('NFC');

/** Maximum number of characters of one shared pattern, and of all patterns in memory. */
const maxPatternLength = 200_000;
const maxPatternCharacters = 2_000_000;

/** Maximum number of characters of alternative texts and captions in memory. */
const maxTextCharacters = 20_000_000;

/** Returns the slugs of parent categories, by the slugs of their children. */
const parentsOf = (head: string): ReadonlyMap<string, string> =>
  new Map(
    [...head.matchAll(/<wp:category>(?:(?!<wp:category>)[\s\S]){0,5000}?<\/wp:category>/g)].map(
      ([category]) => [
        textOfTag(category, 'wp:category_nicename'),
        textOfTag(category, 'wp:category_parent'),
      ],
    ),
  );

const altField = /_wp_attachment_image_alt(?:\]\]>)?<\/wp:meta_key>\s{0,20}<wp:meta_value>/;

function altIn(xml: string): string {
  const found = altField.exec(xml);
  return found ? textAt(xml, found.index + found[0].length) : '';
}

function textOfTag(xml: string, name: string): string {
  const begin = xml.indexOf(`<${name}>`);
  return begin < 0 ? '' : textAt(xml, begin + name.length + 2).trim();
}

const cdata = '<![CDATA[';

/**
 * Text of the tag whose content begins at `from`. It is copied, because a slice would keep the whole item in memory during the
 * import.
 */
function textAt(xml: string, from: number): string {
  const pieces: string[] = [];
  let at = from;
  while (xml.startsWith(cdata, at)) {
    const end = xml.indexOf(']]>', at);
    if (end < 0) break;
    pieces.push(xml.slice(at + cdata.length, end));
    at = end + 3;
  }
  const text = pieces.length > 0 ? pieces.join('') : decodeEntities(xml.slice(from, xml.indexOf('<', from)));
  return Buffer.from(text).toString();
}
