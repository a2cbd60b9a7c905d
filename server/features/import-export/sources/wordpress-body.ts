import { z } from 'zod';
import { parseJson } from '../../../../shared/parse-json.ts';
import { firstNamesOf } from './foreign-record.ts';
import { outsideCode, withCaptions, withLinksAlone, withParagraphs } from './html-body.ts';
import type { Item } from './wordpress-item.ts';

/** A file of the old site, and what is said of it. */
export interface Attachment {
  address: string;
  alt: string;
  caption: string;
}

type Attachments = ReadonlyMap<string, Attachment>;

/**
 * HTML as it was, without the marks that the block editor keeps for itself; what was written without that editor has no
 * tags for paragraphs.
 */
export function bodyOf(item: Item, attachments: Attachments, notes: string[]): string {
  const text = item['content:encoded'];
  const pieces: string[] = [];
  const left = new Set<string>();
  let from = 0;
  for (const { 0: mark, index } of text.matchAll(/<!-- \/?wp:/g)) {
    if (index < from) continue;
    const end = text.indexOf('-->', index + mark.length);
    if (end < 0) break;
    pieces.push(text.slice(from, index));
    from = text[end + 3] === '\n' ? end + 4 : end + 3;
    const [name = ''] = text.slice(index + mark.length, end).split(/\s/, 1);
    // What has no text of its own was made by the old site, each time anew.
    if (text[end - 1] !== '/') continue;
    if (name === 'footnotes') pieces.push(footnotesOf(item));
    else left.add(name);
  }
  if (left.size > 0) notes.push(`blocks left out: ${firstNamesOf([...left])}`);
  const html = [...pieces, text.slice(from)].join('').trim();
  const plain = outsideCode(withCode(html), (piece) =>
    withLinksAlone(withMedia(withCaptions(withReferences(piece)), attachments)),
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

const Footnotes = z.array(z.object({ id: z.string(), content: z.string() }));

/** What stands at the foot is a field of its own, as HTML. */
function footnotesOf(item: Item): string {
  const field = item['wp:postmeta'].find((meta) => meta['wp:meta_key'].trim() === 'footnotes');
  if (!field) return '';
  const lines = footnotesIn(field['wp:meta_value']).map(
    ({ content }, at) =>
      `<li id="footnote${at + 1}" class="footnote-item">${content} <a href="#footnote-ref${at + 1}" class="footnote-backref">↩︎</a></li>`,
  );
  return `<section class="footnotes"><ol class="footnotes-list">${lines.join('')}</ol></section>`;
}

function footnotesIn(text: string): z.infer<typeof Footnotes> {
  try {
    return Footnotes.parse(parseJson(text));
  } catch {
    return [];
  }
}

/** What points at the foot does so by the number that it shows. */
const withReferences = (piece: string): string =>
  piece.replace(
    /<sup data-fn="[^"]{1,100}"[^<>]{0,100}><a href="#[^"]{1,100}"[^<>]{0,200}>(\d{1,4})<\/a><\/sup>/g,
    '<sup class="footnote-ref"><a href="#footnote$1" id="footnote-ref$1">[$1]</a></sup>',
  );

/** Code in shortcodes of plugins. */
const withCode = (html: string): string =>
  html.replace(
    /\[(sourcecode|code)\b([^\]\n]{0,300})\]\n?((?:(?!\[\1\b)[\s\S]){0,100000}?)\n?\[\/\1\]/g,
    (_, ...[, given = '', code = '']: string[]) => {
      const [, language] = /\blang(?:uage)?=["']?([\w+#-]+)/.exec(given) ?? [];
      const written = code.replace(/&(?!\w{1,10};|#)/g, '&amp;').replaceAll('<', '&lt;');
      return `<pre><code${language ? ` class="language-${language}"` : ''}>${written}</code></pre>`;
    },
  );

/** Shortcodes of WordPress itself for films, sound and pictures, as far as what they show is known. */
const withMedia = (piece: string, attachments: Attachments): string =>
  piece
    .replace(/<a [^<>]{0,2000}\bwp-block-file__button\b[^<>]{0,500}>[^<]{0,200}<\/a>/g, '')
    .replace(
      /\[embed\b[^\]\n]{0,300}\]\s{0,10}(https?:\/\/[^\s[\]<>"]{1,2000})\s{0,10}\[\/embed\]/g,
      '<a href="$1">$1</a>',
    )
    .replace(
      /\[(audio|video)\b[^\]\n]{0,300}?\s(?:src|mp3|m4a|ogg|wav|flac|mp4|m4v|webm|ogv|mov)="(https?:[^"\n]{1,2000})"[^\]\n]{0,500}\](?:\[\/\1\])?/g,
      '<$1 controls src="$2"></$1>',
    )
    .replace(/\[gallery\b[^\]\n]{0,300}?\bids="([\d, ]{1,2000})"[^\]\n]{0,300}\]/g, (whole, ids: string) => {
      const shown = ids.split(',').map((id) => attachments.get(id.trim()));
      return shown.every((each) => each !== undefined) ? shown.map(figureOf).join('\n') : whole;
    });

const escaped = (text: string) => text.replaceAll('"', '&quot;').replaceAll('<', '&lt;');

const figureOf = ({ address, alt, caption }: Attachment) =>
  `<figure><img src="${escaped(address)}" alt="${escaped(alt)}">${caption && `<figcaption>${caption}</figcaption>`}</figure>`;
