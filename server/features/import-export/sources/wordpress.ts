import type { XMLParser } from 'fast-xml-parser';
import {
  type ForeignRecord,
  type ForeignSite,
  noted,
  tooLong,
  unreadable,
  withoutEnding,
} from './foreign-record.ts';
import { addressOf } from './markdown-places.ts';
import type { FileContent } from './source-file.ts';
import { withPatterns } from './wordpress-body.ts';
import { createItemParser, itemOf } from './wordpress-item.ts';
import { comparablePath, lookUp, parentsOf } from './wordpress-lookups.ts';
import { type ItemContext, recordOf } from './wordpress-record.ts';
import { xmlItems } from './xml-items.ts';

/** A WordPress export (WXR): its items one after the other. Its pictures are at the old site. */
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
    placesOf: ({ target }, { addresses = [], places = [] }) =>
      placesOf(target, addresses[0] ?? places[0] ?? '/', own, hosts, originals),
    pictureAt: (place) => (isPicture.test(place) ? place : null),
  };
}

/** Addresses of pictures, which are places of their own. */
const isPicture = /^https?:\/\/[^?#]+\.(?:jpe?g|png|gif|webp|avif)(?:[?#]|$)/i;

/** Returns the places of a target on the page at `from`; `originals` are addresses of files by their paths. */
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
  // A network of theirs serves copies of pictures: `https://i0.wp.com/HOST/PATH`.
  const copied = /^i\d\.wp\.com$/.test(url.host) ? URL.parse(`https:/${url.pathname}`) : null;
  const { host, pathname, search, href } = copied ?? url;
  if (!hosts.has(host) && withoutWww(host) !== withoutWww(own.host)) return [];
  if (!isPicture.test(href)) return [...(search === '' ? [] : [`/${search}`]), addressOf(pathname)];
  // Smaller copies are made here.
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

/** Where the site was; each counts its items from 1. Of a network's sites, only that of the blog tells them apart. */
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
  let place = 0;
  for await (const piece of xmlItems(content())) {
    if (piece.kind === 'head') continue;
    place += 1;
    yield noted(recordIn(parser, piece.text, { ...around, place }), piece.text === null ? null : piece.note);
  }
}

function recordIn(parser: XMLParser, xml: string | null, around: ItemContext): ForeignRecord {
  const refused = (why: string) => unreadable({ collection: 'posts', sourceId: `item ${around.place}` }, why);
  if (xml === null) return refused(tooLong);
  if (hasMoreSigns(xml, mostSigns))
    return refused(`it has more than ${mostSigns.toLocaleString('en')} XML tags`);
  try {
    const item = itemOf(parser, xml);
    return item
      ? recordOf(withPatterns(item, around.patterns), around)
      : refused('it does not have the fields of a WordPress item');
  } catch {
    return refused('it is not valid XML');
  }
}

/** Most signs of tags in an item, each of which is held while it is read. A post with 5,000 comments has half as many. */
const mostSigns = 250_000;

function hasMoreSigns(item: string, most: number): boolean {
  let at = -1;
  for (let signs = 0; signs <= most; signs += 1) {
    at = item.indexOf('<', at + 1);
    if (at < 0) return false;
  }
  return true;
}
