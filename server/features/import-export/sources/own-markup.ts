import type { Generator } from './old-addresses.ts';
import { longestBody } from './references.ts';

/** What stands between a beginning and its end, without another beginning: what is not ended is not looked through twice. */
const within = (begin: string) => String.raw`(?:(?!${begin})[\s\S]){0,20000}?`;

const begin = (name: string) => String.raw`(?:\{\{[<%]|\{%-?)\s{0,3}${name}\b`;

const tag = (name: string) => String.raw`${begin(name)}[^%>\n]{0,200}(?:[>%]\}\}|%\})`;

/** What only a generator or a program for notes understands, and what keeps its like from being meant. */
const own = new RegExp(
  [
    String.raw`(?<fence>^ {0,3}(?<mark>\x60{3,}|~{3,})[\s\S]*?(?:^ {0,3}\k<mark>|(?![\s\S])))|(?<code>\x60[^\x60\n]+\x60)`,
    String.raw`(?<remark>${tag('comment')}${within(begin('comment'))}${tag('(?:end|/\\s{0,3})comment')}|\{/\*${within(String.raw`\{/\*`)}\*/\}|\{%-?\s{0,3}#[^%\n]{0,500}%\})`,
    `(?<ofNunjucks>\\{#${within('\\{#')}#\\})`,
    String.raw`(?<ofNote>%%${within('%%')}%%|[ \t]\^[a-zA-Z0-9-]{1,50}$)|==(?<marked>[^\s=](?:[^=\n]{0,500}[^\s=])?)==`,
    `${tag('raw')}(?<raw>${within(begin('raw'))})${tag('endraw')}`,
    String.raw`${begin('highlight')}\s{1,3}(?<language>[\w+#-]{1,30})[^%>\n]{0,200}(?:[>%]\}\}|%\})\n?(?<lines>${within(begin('highlight'))})\n?${tag('(?:end|/\\s{0,3})highlight')}`,
    String.raw`${begin('(?<name>figure|image|img|youtube|vimeo|tweet|x|instagram|gist)')}\s{1,3}(?<given>(?:"(?:\\.|[^"\\\n]){0,1000}"|[^"%>\n]){1,500})(?:[>%]\}\}|%\})`,
    String.raw`(?<contents>^(?:[*+-]|1\.) [^\n]{0,100}\n\{:[^}\n]{0,50}\btoc\b[^}\n]{0,50}\}[ \t]*$)`,
    String.raw`(?<attributes>^[ \t]*\{:[^}\n]{1,300}\}[ \t]*\n?|\{:?[ \t]?[.#\w][^}\n]{0,300}\}(?<=\]\([^()\n]{0,500}\)\{[^{}\n]{0,310}\}))`,
    String.raw`(?<named>[ \t]{1,10}\{:?[ \t]?[#.][^}\n]{0,300}\}[ \t]*$(?<=^#{1,6} [^\n]{1,600}))`,
    String.raw`^(?<quote>(?:> ?){1,9})\[!(?<kind>\w{1,30})\][+-]?[ \t]*(?<words>[^\n]*)$`,
  ].join('|'),
  'gm',
);

/**
 * A text with what its generator made of its own markup, as far as Markdown has the like: pictures, code, links to films. What
 * nobody was to see is left out, and so is what only names a part of it. All else stays as it was.
 */
export function withPlainMarkup(body: string, generator: Generator): string {
  if (body.length > longestBody) return body;
  const pattern = new RegExp(own);
  const pieces: string[] = [];
  let from = 0;
  // One after the other: what replaces all at once holds all that it has found.
  for (let found = pattern.exec(body); found; found = pattern.exec(body)) {
    const plain = plainOf(found.groups ?? {}, generator);
    if (plain === null) continue;
    pieces.push(body.slice(from, found.index), plain);
    from = pattern.lastIndex;
  }
  return [...pieces, body.slice(from)].join('');
}

/** Null for what stays as it is. */
function plainOf(groups: Readonly<Record<string, string | undefined>>, generator: Generator): string | null {
  const { fence, code, ofNote, marked, ofNunjucks, raw, lines, name, quote } = groups;
  if ((fence ?? code) !== undefined) return null;
  const isNote = generator === 'obsidian';
  if (ofNote !== undefined) return isNote ? '' : null;
  if (marked !== undefined) return isNote ? `<mark>${marked}</mark>` : null;
  if (ofNunjucks !== undefined) return generator === 'eleventy' ? '' : null;
  if (raw !== undefined) return raw;
  if (lines !== undefined) return `\`\`\`${groups.language}\n${lines}\n\`\`\``;
  if (name !== undefined) return shown(name, argumentsOf(groups.given ?? ''));
  if (quote === undefined) return '';
  const kind = (groups.kind ?? '').toLowerCase();
  return `${quote}**${groups.words || kind.replace(/^./, (first) => first.toUpperCase())}**\n${quote.trimEnd()}`;
}

/** What a tag is given, by name, or by place. */
const argumentsOf = (given: string): ReadonlyMap<string, string> =>
  new Map(
    [...given.matchAll(/(?:([\w-]{1,40})=)?(?:"((?:\\.|[^"\\])*)"|([^\s"=]+))/g)].map(
      ([, name, quoted, bare], place) => [
        name ?? String(place),
        (quoted?.replace(/\\(?=["\\])/g, '') ?? bare ?? '').trim(),
      ],
    ),
  );

/** Null for what can not be shown by what it was given. */
function shown(name: string, given: ReadonlyMap<string, string>): string | null {
  const [first = '', second = ''] = [given.get('0') ?? given.get('user'), given.get('1')];
  const id = given.get('id') ?? (first.match(/^[\w-]+$/) ? first : '');
  if (/^(?:figure|image|img)$/.test(name)) return pictureOf(given);
  const address = {
    youtube: id && `https://www.youtube.com/watch?v=${id}`,
    vimeo: id && `https://vimeo.com/${id}`,
    instagram: id && `https://www.instagram.com/p/${id}/`,
    gist: first && `https://gist.github.com/${[first, second].filter(Boolean).join('/')}`,
    tweet: first && given.get('id') && `https://twitter.com/${first}/status/${given.get('id')}`,
  }[name === 'x' ? 'tweet' : name];
  return address ? `<${address}>` : null;
}

function pictureOf(given: ReadonlyMap<string, string>): string | null {
  const source = given.get('src') ?? '';
  if (source === '' || /[<>\n]/.test(source)) return null;
  const words = ['title', 'caption', 'attr'].flatMap((name) => given.get(name) || []).join(' · ');
  const alt = (given.get('alt') ?? '').replace(/[[\]\\]/g, '\\$&');
  const caption = words && ` "${words.replaceAll('"', '&quot;')}"`;
  const picture = `![${alt}](<${source}>${caption})`;
  const link = given.get('link');
  return link && !/[<>]/.test(link) ? `[${picture}](<${link}>)` : picture;
}
