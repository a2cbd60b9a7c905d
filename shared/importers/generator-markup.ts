import { draftFor } from './foreign-record.ts';
import { kindOfLine, type LineKind, topOfText } from './markdown-lines.ts';
import { maxBodyLength } from './references.ts';
import type { Generator } from './source-paths.ts';

type Groups = Readonly<Record<string, string | undefined>>;

/** Replacement for a match and the offset where it ends; null leaves it unchanged. */
interface Replacement {
  plain: string | null;
  until: number;
}

/** Text that is being read. */
interface Text {
  body: string;
  reader: MarkupReader;
  isUnclear: boolean;
  /** Closing marks that the remaining text does not contain, so that they are not searched again. */
  missing: Set<string>;
}

/**
 * Removes hidden comments and kramdown attributes from a text, except IDs, and converts Obsidian's callouts, highlights
 * and block IDs to Markdown and HTML. Template tags stay as text, and code stays as written. `isUnclear` is true if a
 * comment has no end or no beginning, or may be code, so that the body may show it.
 */
export function withPlainMarkup(body: string, reader: MarkupReader): { body: string; isUnclear: boolean } {
  if (body.length > maxBodyLength) return { body, isUnclear: true };
  const text: Text = { body, reader, isUnclear: false, missing: new Set() };
  const raw = readBeforeMarkdown.has(reader) ? rawParts(body) : null;
  const pattern = new RegExp(own);
  const next = (from: number) => {
    pattern.lastIndex = from;
    return pattern.exec(body);
  };
  const position = topOfText();
  const pieces: string[] = [];
  let isRemarkInFence = false;
  let [from, start] = [0, 0];
  let found = next(0);
  // Line by line, because a single replacement of the whole text would keep all matches in memory.
  while (start < body.length) {
    const end = body.indexOf('\n', start) + 1 || body.length;
    // The rest of a line is text if a match that began on an earlier line ends in it.
    const isWhole = start === 0 || body[start - 1] === '\n';
    const line = body.slice(start, end);
    const written = isWhole ? kindOfLine(line, position) : 'text';
    // MDX has no indented code.
    const kind = reader === 'mdx' && position.fence === null ? 'text' : written;
    isRemarkInFence &&= position.fence !== null;
    start = end;
    while (found && found.index < end) {
      if (kind === 'code') isRemarkInFence ||= position.fence !== null && isRemark(found.groups, text);
      if (raw) text.isUnclear ||= isHiddenInCode(found, kind, reader, raw);
      const { plain, until } = kind === 'text' ? taken(found, text) : passed(found, kind, text);
      if (plain !== null) {
        pieces.push(body.slice(from, found.index), plain);
        from = until;
      }
      start = Math.max(start, until);
      found = next(until);
    }
  }
  return { body: [...pieces, body.slice(from)].join(''), isUnclear: text.isUnclear || isRemarkInFence };
}

/** Returns the fields of a text that may show a hidden comment: a draft without a date. Adds the note on it. */
export const draftOfUnclear = (notes: string[]) => ({
  ...draftFor('a hidden comment in it has no clear beginning or end', notes),
  ...{ publish_at: null, published_at: null },
});

const isOf = (kind: string, reader: MarkupReader) => remarks[kind]?.of.includes(reader) === true;

const isRemark = (groups: Groups = {}, { reader }: Text) =>
  remarkKinds.some(([kind]) => (groups[kind] ?? groups[`${kind}End`]) !== undefined && isOf(kind, reader));

/** Generators that remove comments before they read Markdown, so that comments in code are hidden, too. */
const readBeforeMarkdown: ReadonlySet<MarkupReader> = new Set(['jekyll', 'eleventy', 'hugo']);

/** Returns the ranges of a text between `raw` tags, in which Liquid reads no tags. */
function rawParts(body: string): { from: number; until: number }[] {
  const parts: { from: number; until: number }[] = [];
  const missing = new Set<string>();
  const begin = new RegExp(rawTag, 'g');
  for (let found = begin.exec(body); found; found = begin.exec(body)) {
    const end = endOf('raw', begin.lastIndex, { body, missing });
    if (!end) break;
    parts.push({ from: found.index, until: end.until });
    begin.lastIndex = end.until;
  }
  return parts;
}

/** Returns whether code contains, or is, a comment that its generator removed before reading Markdown. */
function isHiddenInCode(
  { groups = {}, index }: RegExpExecArray,
  kind: LineKind,
  reader: MarkupReader,
  raw: readonly { from: number; until: number }[],
): boolean {
  const isHidden = (each: Groups, at: number) =>
    [...inCodeToo].some((name) => each[name] !== undefined && isOf(name, reader)) &&
    !raw.some(({ from, until }) => from <= at && at < until);
  const code = groups.code ?? groups.verbatim ?? '';
  return (
    (kind === 'code' && isHidden(groups, index)) ||
    code.matchAll(anyRemark).some((each) => isHidden(each.groups ?? {}, index + each.index))
  );
}

/** Skips a match in a line that is or may be code. */
function passed(found: RegExpExecArray, kind: LineKind, text: Text): Replacement {
  const { groups, index, 0: whole } = found;
  const until = index + whole.length;
  const line = text.body.indexOf('\n', index) + 1 || text.body.length;
  if (kind === 'code') return { plain: null, until: line };
  text.isUnclear ||= isRemark(groups, text);
  const end = groups?.raw === undefined ? null : endOf('raw', until, text);
  return { plain: null, until: end?.until ?? Math.min(until, line) };
}

function taken(found: RegExpExecArray, text: Text): Replacement {
  const { body, reader } = text;
  const { groups = {}, index, 0: whole } = found;
  const until = index + whole.length;
  const remark = remarkKinds.find(([kind]) => groups[kind] !== undefined && isOf(kind, reader));
  if (remark) {
    const end = endOf(remark[0], until, text);
    const isWhole = end !== null && !endsCode(body.slice(until, end.index));
    text.isUnclear ||= !isWhole;
    return { plain: isWhole ? '' : null, until: end?.until ?? until };
  }
  text.isUnclear ||= isRemark(groups, text);
  if (groups.code?.includes('\n'))
    text.isUnclear ||= [...groups.code.matchAll(anyRemark)].some((each) => isRemark(each.groups, text));
  if (groups.raw !== undefined) return { plain: null, until: endOf('raw', until, text)?.until ?? until };
  return { plain: plainOf(groups, reader), until };
}

/** Returns whether a text contains an unbalanced code fence, so that the end of a comment may belong to other code. */
const endsCode = (text: string) =>
  [...text.matchAll(/^(?:[ \t>]|[-*+] |\d{1,9}[.)] )*(?:\x60{3}|~{3})/gm)].length % 2 === 1;

/** Finds the end of a block, skipping nested ones; null if there is none. */
function endOf(kind: string, from: number, { body, missing }: Pick<Text, 'body' | 'missing'>) {
  if (missing.has(kind)) return null;
  const { begin = '(?!)', end = '' } = ends[kind] ?? {};
  const pattern = new RegExp(`(${begin})|${end}`, 'g');
  pattern.lastIndex = from;
  let depth = 1;
  for (let found = pattern.exec(body); found; found = pattern.exec(body)) {
    depth += found[1] === undefined ? -1 : 1;
    if (depth === 0) return { index: found.index, until: pattern.lastIndex };
  }
  missing.add(kind);
  return null;
}

/** Returns the Markdown that replaces markup of a generator; null if the markup stays unchanged. */
function plainOf(groups: Groups, reader: MarkupReader): string | null {
  const { block, marked, sized, shown = '', ofPart, ofBlock, quote } = groups;
  const isNote = reader === 'obsidian';
  const isKramdown = reader === 'jekyll' || reader === 'hugo';
  if (block !== undefined) return isNote ? anchor(`^${block}`) : null;
  if (marked !== undefined) return isNote ? `<mark>${marked}</mark>` : null;
  if (sized !== undefined) return isNote ? `![${shown}]` : null;
  if (ofPart !== undefined) return isKramdown || groups.colon === '' ? anchor(idIn(ofPart)) : null;
  const ofHeading = groups.ofHeading ?? groups.belowHeading;
  if (ofHeading !== undefined) {
    const id = idIn(ofHeading);
    if (!isKramdown) return null;
    return id && ` {#${id}}`;
  }
  if (ofBlock !== undefined && isKramdown) {
    const id = idIn(ofBlock);
    // Directly below a table, a line would become a row of it.
    return id && `${groups.row === undefined ? '' : '\n'}${anchor(id)}\n`;
  }
  if (groups.contents !== undefined) return isKramdown ? '' : null;
  if (quote === undefined) return null;
  const kind = (groups.kind ?? '').toLowerCase();
  const words = groups.words?.trim() || kind.replace(/^./, (first) => first.toUpperCase());
  // The text of a list item is indented below its marker.
  return `${quote}**${words}**\n${quote.replace(/[^>\s]/g, ' ').trimEnd()}`;
}

const idIn = (attributes: string): string => /(?<=[{:\s])#([^\s{}"<>&#]{1,200})/.exec(attributes)?.[1] ?? '';

const anchor = (id: string) => id && `<a id="${id}"></a>`;

const opening = String.raw`(?:\{\{[<%]|\{%-?)\s{0,20}`;
const closing = String.raw`(?:-?[>%]\}\}|-?%\})`;
const tag = (name: string) => String.raw`${opening}${name}(?=\s|-?[>%])[^%>\n]{0,200}${closing}`;
const endTag = (name: string) => tag(String.raw`(?:end|/\s{0,20})${name}`);

/** Program that the old site read a text's markup with: its generator, or MDX. */
type MarkupReader = Generator | 'mdx';

interface Remark {
  begin: string;
  end: string;
  nests?: true;
  of: readonly MarkupReader[];
}

/** Hidden comments: patterns of their beginning and end, and the programs that support them (`of`). */
const remarks: Readonly<Record<string, Remark>> = {
  comment: {
    ...{ begin: String.raw`${opening}comment(?=\s|-?[>%])`, end: endTag('comment'), nests: true },
    of: ['hugo', 'jekyll', 'eleventy', 'astro', 'unknown'],
  },
  extension: {
    ...{ begin: String.raw`\{::comment\b`, end: String.raw`\{:/(?:comment)?\}` },
    of: ['jekyll', 'unknown'],
  },
  expression: { begin: String.raw`(?<!\{)\{/\*`, end: String.raw`\*/\}`, of: ['mdx'] },
  inline: {
    ...{ begin: String.raw`\{%-?\s{0,20}#`, end: String.raw`%\}` },
    of: ['jekyll', 'eleventy', 'unknown'],
  },
  template: {
    begin: String.raw`(?<!\{)\{#(?![\w-]{1,300}[^#}\n]{0,300}\})`,
    end: String.raw`#\}`,
    of: ['eleventy'],
  },
  note: { begin: '%%', end: '%%', of: ['obsidian'] },
};

/**
 * Kinds of comments that Jekyll, Eleventy and Hugo remove before they read Markdown. On the old site, they are therefore
 * hidden even in code.
 */
const inCodeToo: ReadonlySet<string> = new Set(['comment', 'inline', 'template']);

const remarkKinds = Object.entries(remarks);

const rawTag = tag('raw');

/** Patterns that end a block, and those that begin a nested one. */
const ends: Readonly<Record<string, { begin?: string; end: string }>> = {
  ...Object.fromEntries(
    remarkKinds.map(([kind, { begin, end, nests }]) => [kind, nests ? { begin, end } : { end }]),
  ),
  raw: { end: tag('endraw') },
};

/** Patterns of ends that only a comment can have. If one is found alone, the comment's beginning was not recognized. */
const unmatchedEnds = [
  ['comment', endTag('comment')],
  ['extension', String.raw`\{:/comment\}`],
  ['template', String.raw`#\}`],
];

/** HTML elements whose content is shown or run verbatim. */
const verbatim = ['pre', 'script', 'style']
  .map((name) => String.raw`(?i:<${name}\b(?:(?!<${name}\b)[\s\S])*?</${name}\s{0,9}>)`)
  .join('|');

/** Code spans end with their paragraph. */
const inParagraph = String.raw`(?!\n[ \t>]*(?:\r?\n|\x60{3}|~{3}|[-*+#] |\d+[.)] ))[\s\S]`;

const code = String.raw`<code\b(?:(?!<code\b)${inParagraph})*?</code>|(?<!\x60)(?<mark>\x60+)(?!\x60)(?:${inParagraph}){1,2000}?(?<!\x60)\k<mark>(?!\x60)`;

const attributes = String.raw`[ \t]{0,9}(?:[.#][\w-]|[\w-]{1,50}(?:[ \t]{0,3}=|:?[ \t]{0,9}\}|:?[ \t]{1,9}(?:[.#]|[\w-]{1,50}=))|:(?:options|nomarkdown)\b|/)`;

/** Markup that only a generator or Obsidian understands, and code that protects its content. */
const own = new RegExp(
  [
    String.raw`(?<verbatim>\\\x60|${verbatim})|(?<code>${code})`,
    ...remarkKinds.map(([kind, { begin }]) => `(?<${kind}>${begin})`),
    ...unmatchedEnds.map(([kind, end]) => `(?<${kind}End>${end})`),
    String.raw`(?<anchor>(?:^|[ \t])\^(?<block>[a-zA-Z0-9-]{1,50})[ \t]*$)|==(?<marked>[^\s=](?:[^=\n]{0,500}[^\s=])?)==`,
    // In Obsidian, the number is the display width of an image.
    String.raw`(?<sized>!\[(?:(?<shown>[^[\]\n]{0,300}?)\\?\|)?[ \t]{0,9}\d{1,5}(?:x\d{1,5})?\](?=\())`,
    `(?<raw>${rawTag})`,
    String.raw`(?<contents>^(?:[*+-]|1\.) [^\r\n]{0,100}\r?\n\{:[ \t]?toc(?![\w-])[^}\n]{0,50}\}[ \t]*$)`,
    String.raw`(?<ofBlock>(?:(?<=(?<row>\|)[ \t]{0,9}\r?\n)|)^[ \t]*\{:(?=${attributes})[^{}\n]{1,300}\}[ \t]*(?:\r?\n|$(?!\r)))`,
    String.raw`(?<ofPart>\{(?<colon>:?)[ \t]?(?:[.#][\w-]|[\w-]{1,50}=)[^{}\n]{0,300}\}(?<=\]\([^()\n]{0,500}\)\{[^{}\n]{0,310}\}))`,
    String.raw`(?<ofHeading>(?:[ \t]{1,10}#{1,6})?[ \t]{1,10}(?:\{:[ \t]?[#.][\w-]|\{#[\w-][^\s{}"<>&]{0,300}(?=\}|[ \t]{1,9}(?:[.#]|[\w-]{1,50}=)))[^{}\n]{0,300}\}[ \t]*$(?:(?<=^#{1,6}[ \t]{1,9}[^\s{][^\n]{1,600})|(?=\r?\n {0,3}(?:={1,99}|-{1,99})[ \t]*$)))`,
    String.raw`(?<belowHeading>[ \t]{0,10}\r?\n[ \t]{0,3}\{:[^{}\n]{0,300}(?<=[{:\s])#[\w-][^{}\n]{0,300}\}[ \t]*$(?<=^#{1,6}[ \t]{1,9}[^\s{][^\n]{0,600}\n[^\n]{1,700}))`,
    String.raw`^(?<quote>[ \t>]{0,12}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){0,3}(?:> ?){1,9})\[!(?<kind>[\w-]{1,30})(?:\|[^\]\n]{0,100})?\][+-]?(?<words>[^\r\n]*)$`,
  ].join('|'),
  'gm',
);

const anyRemark = new RegExp(remarkKinds.map(([kind, { begin }]) => `(?<${kind}>${begin})`).join('|'), 'g');
