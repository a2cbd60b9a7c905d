import { decodedPath } from '../../../../shared/contract/site-paths.ts';
import { decodeEntities } from './plain-text.ts';
import type { FileContent } from './source-file.ts';
import type { Attachment } from './wordpress-body.ts';
import { isRule, isTaken } from './wordpress-record.ts';
import { xmlItems } from './xml-items.ts';

/**
 * The addresses of all files that the export names, by where they are on their hosts, with what is said of them by their ids,
 * what posts show of texts that several share, who wrote its posts (no more than two of them), and whether it has rules
 * of who may read.
 */
export async function lookUp(content: FileContent) {
  const originals = new Map<string, string>();
  const attachments = new Map<string, Attachment>();
  const patterns = new Map<string, string>();
  const creators = new Set<string>();
  const left = { patterns: mostOfPatterns, said: mostSaid };
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
    if (pattern !== '' && pattern.length <= longestPattern) {
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
    if (isUnsaid) attachments.set(id, { address, alt: '', caption: '', isUnsaid });
    else {
      left.said -= alt.length + caption.length;
      attachments.set(id, { address, alt, caption, isUnsaid });
    }
  }
  return { originals, attachments, patterns, creators, hasRules };
}

/** Form of a path in which addresses of files are compared. */
export const comparablePath = (path: string) => decodedPath(path).normalize('NFC');

/** Characters of a pattern, and of all of them that are held. */
const longestPattern = 200_000;
const mostOfPatterns = 2_000_000;

/** Characters that are held of what is said of files. */
const mostSaid = 20_000_000;

/** The words that stand for categories in addresses, by that of one within it. */
export const parentsOf = (head: string): ReadonlyMap<string, string> =>
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
 * What a tag that begins before `from` holds. WordPress begins CDATA anew within a text that has its end. It is a copy:
 * what is looked up is kept for as long as an import takes, and a piece of a text keeps all of it in memory, which is up
 * to a whole item each time.
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
