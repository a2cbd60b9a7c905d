import { z } from 'zod';
import { parseJson } from '../runtime/parse-json.ts';
import { firstNamesOf } from './foreign-record.ts';
import { outsideCode, withCaptions, withLinksAlone, withParagraphs } from './html-body.ts';
import { plainText } from './plain-text.ts';
import type { Item } from './wordpress-item.ts';

/** A file of the old site, and what is said of it. */
export interface Attachment {
  address: string;
  alt: string;
  caption: string;
  isUnsaid: boolean;
}

export const noteOfUnsaid =
  'Image captions and alternative texts not imported: those of the whole export are too long';

type Attachments = ReadonlyMap<string, Attachment>;

/** Returns the HTML of an item without block markers. Text from before the block editor gets tags for paragraphs. */
export function bodyOf(item: Item, attachments: Attachments, notes: string[]): string {
  const text = item['content:encoded'];
  const pieces: string[] = [];
  const left = new Set<string>();
  let from = 0;
  let hasFootnotes = false;
  for (const { 0: mark, index } of text.matchAll(/<!-- \/?wp:/g)) {
    if (index < from) continue;
    const end = text.indexOf('-->', index + mark.length);
    if (end < 0) break;
    pieces.push(text.slice(from, index));
    from = text[end + 3] === '\n' ? end + 4 : end + 3;
    const [name = ''] = text.slice(index + mark.length, end).split(/\s/, 1);
    // What has no text of its own was made by the old site, each time anew.
    if (text[end - 1] !== '/') continue;
    if (name !== 'footnotes') left.add(name);
    else if (!hasFootnotes) pieces.push(footnotesOf(item, notes));
    hasFootnotes ||= name === 'footnotes';
  }
  if (left.size > 0)
    notes.push(`Blocks not imported, because WordPress generates their content: ${firstNamesOf([...left])}`);
  const html = [...pieces, text.slice(from)].join('').trim();
  const show = createShowing(attachments, notes);
  const plain = outsideCode(withCode(html), (piece) =>
    withLinksAlone(withMedia(withCaptions(withReferences(piece)), show)),
  );
  return pieces.length === 0 ? withParagraphs(plain) : plain;
}

/** Characters that may be put into one text. */
const mostAdded = 1_000_000;

/** An item with the texts that it shares with others: they say who may read it, too. */
export function withPatterns(item: Item, patterns: ReadonlyMap<string, string>): Item {
  let left = mostAdded;
  const text = item['content:encoded'].replace(
    /<!-- wp:block \{"ref":(\d{1,20})\b[^>]{0,500}\/-->/g,
    (mark, id) => {
      const pattern = patterns.get(id) ?? '';
      left -= pattern.length;
      return pattern === '' || left < 0 ? mark : pattern;
    },
  );
  return { ...item, 'content:encoded': text };
}

/** One that can not be read keeps its place, as others are known by their numbers. */
const Footnotes = z.array(z.object({ content: z.string().nullable() }).catch({ content: null }));

/** What stands at the foot is a field of its own, as HTML. */
function footnotesOf(item: Item, notes: string[]): string {
  const field = item['wp:postmeta'].find((meta) => meta['wp:meta_key'].trim() === 'footnotes');
  const text = field?.['wp:meta_value'].trim() ?? '';
  if (text === '') return '';
  const footnotes = footnotesIn(text);
  if (footnotes === null) {
    notes.push('Footnotes not imported: they cannot be read');
    return '';
  }
  const lost = footnotes.filter(({ content }) => content === null).length;
  if (lost > 0) notes.push(`Footnotes not imported, because they cannot be read: ${lost}`);
  const lines = footnotes.map(
    ({ content }, at) =>
      `<li id="footnote${at + 1}" class="footnote-item">${content ?? ''} <a href="#footnote-ref${at + 1}" class="footnote-backref">↩︎</a></li>`,
  );
  return `<section class="footnotes"><ol class="footnotes-list">${lines.join('')}</ol></section>`;
}

function footnotesIn(text: string): z.infer<typeof Footnotes> | null {
  try {
    return Footnotes.parse(parseJson(text));
  } catch {
    return null;
  }
}

/** What points at the foot does so by the number that it shows. */
const withReferences = (piece: string): string =>
  piece.replace(
    /<sup data-fn="[^"]{1,100}"[^<>]{0,100}><a href="#[^"]{1,100}"[^<>]{0,200}>(\d{1,4})<\/a><\/sup>/g,
    '<sup class="footnote-ref"><a href="#footnote$1" id="footnote-ref$1">[$1]</a></sup>',
  );

/** Code in shortcodes of plugins, but for such shortcodes as stand in code themselves. */
const withCode = (html: string): string =>
  html.replace(
    /<(pre|PRE|code|CODE)(?=[\s>])[\s\S]*?(?:<\/\1\s*>|$)|\[(sourcecode|code)\b([^\][\n]{0,300})\]\n?((?:(?!\[\2\b)[\s\S]){0,100000}?)\n?\[\/\2\]/g,
    (whole, ...[tag, , given = '', code = '']: (string | undefined)[]) => {
      if (tag !== undefined) return whole;
      const [, language] = /\blang(?:uage)?=["']?([\w+#-]+)/.exec(given) ?? [];
      const written = code.replace(/&(?!\w{1,10};|#)/g, '&amp;').replaceAll('<', '&lt;');
      return `<pre><code${language ? ` class="language-${language}"` : ''}>${written}</code></pre>`;
    },
  );

/**
 * Converts shortcodes for films, sound and images. No pattern matches past the beginning of another shortcode, so that they
 * take linear time.
 */
const withMedia = (piece: string, show: ReturnType<typeof createShowing>): string =>
  piece
    .replace(/(?<=<\/a>)<a [^<>]{0,2000}\bwp-block-file__button\b[^<>]{0,500}>[^<]{0,200}<\/a>/g, '')
    .replace(
      /\[embed\b[^\][\n]{0,300}\]\s{0,10}(https?:\/\/[^\s[\]<>"]{1,2000})\s{0,10}\[\/embed\]/g,
      '<a href="$1">$1</a>',
    )
    .replace(/\[(audio|video)\b([^\][\n]{0,3000})\](?:\[\/\1\])?/g, (whole, name: string, given: string) => {
      const [, address] = playedFile.exec(given) ?? [];
      return address === undefined ? whole : `<${name} controls src="${address}"></${name}>`;
    })
    .replace(/\[(gallery|playlist)\b([^\][\n]{0,3000})\]/g, (whole, name: string, given: string) => {
      const [, , ids] = idsOf.exec(given) ?? [];
      return (ids && show(name, ids)) || whole;
    });

const playedFile = /\s(?:src|mp3|m4a|ogg|wav|flac|mp4|m4v|webm|ogv|mov)=["']?(https?:[^"'\s]{1,2000})/;

const idsOf = /\s(?:ids|include)=(["']?)([\d, ]{1,2000})\1(?=\s|\/?$)/;

/**
 * Returns a function that makes HTML of the attachments that a gallery or playlist lists by their IDs. It leaves out and notes
 * those that the export does not have, and those of another kind. Null if it would show none.
 */
function createShowing(attachments: Attachments, notes: string[]) {
  let left = mostAdded;
  return (shortcode: string, ids: string): string | null => {
    const isPlaylist = shortcode === 'playlist';
    const shown: Attachment[] = [];
    const missing = new Set<string>();
    for (const id of ids.split(/[\s,]+/).filter(Boolean)) {
      const attachment = attachments.get(id);
      const isOfKind = attachment && (playerOf(attachment) !== undefined) === isPlaylist;
      if (!isOfKind || lengthOf(attachment) > left) missing.add(id);
      else {
        left -= lengthOf(attachment);
        shown.push(attachment);
      }
    }
    if (shown.length === 0) return null;
    const kind = isPlaylist ? 'Recordings' : 'Images';
    if (missing.size > 0)
      notes.push(
        `${kind} missing in the ${shortcode}, because the export does not contain these IDs: ${firstNamesOf([...missing])}`,
      );
    if (shown.some(({ isUnsaid }) => isUnsaid) && !notes.includes(noteOfUnsaid)) notes.push(noteOfUnsaid);
    return shown.map(figureOf).join('\n');
  };
}

const lengthOf = ({ address, alt, caption }: Attachment) => address.length + alt.length + caption.length;

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

function figureOf(attachment: Attachment): string {
  const below = escaped(plainText(attachment.caption));
  const address = escaped(attachment.address);
  const player = playerOf(attachment);
  const media = player
    ? `<${player} controls src="${address}"></${player}>`
    : `<img src="${address}" alt="${escaped(attachment.alt)}">`;
  return `<figure>${media}${below && `<figcaption>${below}</figcaption>`}</figure>`;
}

/** Element that plays a file, by the ending of its name; undefined for an image. */
function playerOf({ address }: Attachment): 'audio' | 'video' | undefined {
  const name = URL.parse(address)?.pathname ?? '';
  if (/\.(?:mp3|m4a|ogg|oga|wav|flac|aac)$/i.test(name)) return 'audio';
  return /\.(?:mp4|m4v|webm|ogv|mov)$/i.test(name) ? 'video' : undefined;
}
