import { draftFor } from './foreign-record.ts';
import { kindOfLine, type LineKind, leadOf, topOfText } from './markdown-lines.ts';
import { anyRemark, ends, inCodeToo, type MarkupReader, own, remarkKinds, remarks } from './own-patterns.ts';
import { shownTag } from './own-tags.ts';
import { longestBody } from './references.ts';

/** A text without what only its generator understood. */
interface Plain {
  body: string;
  /** It may show what nobody was to see: a remark that has no end, or no beginning, or may be code. */
  isUnclear: boolean;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** What is put in place of something, up to where; null leaves it as it is. */
interface Taken {
  plain: string | null;
  until: number;
}

/** What is read, and what was seen of it. */
interface Text {
  body: string;
  reader: MarkupReader;
  isUnclear: boolean;
  /** What was looked for to the end of the text, and isn't looked for again. */
  missing: Set<string>;
}

/**
 * A text with what its generator made of its own markup, as far as Markdown has the like: pictures, code, links to films. What
 * nobody was to see is left out, and so is what only names a part of it. All else stays as it was, code above all.
 */
export function withPlainMarkup(body: string, reader: MarkupReader): Plain {
  if (body.length > longestBody) return { body, isUnclear: true };
  const text: Text = { body, reader, isUnclear: false, missing: new Set() };
  const isReadFirst = (reader === 'jekyll' || reader === 'eleventy') && !/\{%-?\s{0,20}raw/.test(body);
  const pattern = new RegExp(own);
  const next = (from: number) => {
    pattern.lastIndex = from;
    return pattern.exec(body);
  };
  const place = topOfText();
  const pieces: string[] = [];
  let isRemarkInFence = false;
  let [from, start] = [0, 0];
  let found = next(0);
  // One after the other: what replaces all at once holds all that it has found.
  while (start < body.length) {
    const end = body.indexOf('\n', start) + 1 || body.length;
    // What follows something that went on to this line is text as that was.
    const isWhole = start === 0 || body[start - 1] === '\n';
    const line = body.slice(start, end);
    const written = isWhole ? kindOfLine(line, place) : 'text';
    // MDX has no code by its indentation.
    const kind = reader === 'mdx' && place.fence === null ? 'text' : written;
    const lead = isWhole ? start + leadOf(line).length : null;
    isRemarkInFence &&= place.fence !== null;
    start = end;
    while (found && found.index < end) {
      if (kind === 'code') isRemarkInFence ||= place.fence !== null && isRemark(found.groups, text);
      if (isReadFirst) text.isUnclear ||= isHiddenInCode(found.groups, kind, text);
      const { plain, until } = kind === 'text' ? taken(found, lead, text) : passed(found, kind, text);
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

/** What becomes of a text that may show a remark: nobody reads it, and nothing publishes it later. */
export const draftOfUnclear = (notes: string[]) => ({
  ...draftFor('a remark that nobody was to see has no end or no beginning, or may be code', notes),
  ...{ publish_at: null, published_at: null },
});

const isOf = (kind: string, reader: MarkupReader) => remarks[kind]?.of.includes(reader) === true;

const isRemark = (groups: Groups = {}, { reader }: Text) =>
  remarkKinds.some(([kind]) => (groups[kind] ?? groups[`${kind}End`]) !== undefined && isOf(kind, reader));

/** Whether code has a remark in it, or is one, that was hidden before anybody knew of the code. */
function isHiddenInCode(groups: Groups = {}, kind: LineKind, { reader }: Text): boolean {
  const isHidden = (each: Groups = {}) =>
    [...inCodeToo].some((name) => each[name] !== undefined && isOf(name, reader));
  const code = groups.code ?? groups.verbatim ?? '';
  return (
    (kind === 'code' && isHidden(groups)) || code.matchAll(anyRemark).some((each) => isHidden(each.groups))
  );
}

/** Something in a line that is code, or may be. */
function passed(found: RegExpExecArray, kind: LineKind, text: Text): Taken {
  const { groups, index, 0: whole } = found;
  const until = index + whole.length;
  const line = text.body.indexOf('\n', index) + 1 || text.body.length;
  if (kind === 'code') return { plain: null, until: line };
  text.isUnclear ||= isRemark(groups, text);
  const held = ['raw', 'highlight'].find((name) => groups?.[name] !== undefined);
  const end = held === undefined ? null : endOf(held, until, text);
  return { plain: null, until: end?.until ?? Math.min(until, line) };
}

function taken(found: RegExpExecArray, lead: number | null, text: Text): Taken {
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
  if (groups.raw !== undefined) {
    const end = endOf('raw', until, text);
    return end ? { plain: body.slice(until, end.index), until: end.until } : { plain: null, until };
  }
  if (groups.highlight !== undefined) {
    const end = endOf('highlight', until, text);
    if (!end) return { plain: null, until };
    const indent = index === lead ? body.slice(body.lastIndexOf('\n', index - 1) + 1, index) : null;
    const isAlone = /^[ \t]*(?:\r?\n|$)/.test(body.slice(end.until, end.until + 200));
    const plain = isAlone ? fenced(groups.options ?? '', indent, body.slice(until, end.until)) : null;
    return { plain, until: end.until };
  }
  if (groups.name !== undefined) {
    const isLiquid = !whole.startsWith('{{');
    return shownTag(body, { name: groups.name, isLiquid, from: until }) ?? { plain: null, until };
  }
  return { plain: plainOf(groups, reader), until };
}

/** Whether code begins in a text and doesn't end in it, or the other way round: then its end is another's. */
const endsCode = (text: string) =>
  [...text.matchAll(/^(?:[ \t>]|[-*+] |\d{1,9}[.)] )*(?:\x60{3}|~{3})/gm)].length % 2 === 1;

/** Where something ends; what is within its like ends before. */
function endOf(kind: string, from: number, { body, missing }: Text) {
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

/** Code as Markdown has it, as far as its marks stand on lines of their own that begin as those of the code. */
function fenced(options: string, indent: string | null, inside: string): string | null {
  const [, eol, lines, last] = /^[ \t]*(\r?\n)([\s\S]*\n)?([ \t>]*)\{[^\n]*$/.exec(inside) ?? [];
  const code = lines ?? '';
  if (indent === null || eol === undefined || last !== indent) return null;
  const isWithin = (line: string) => line.startsWith(indent) || line.trim() === indent.trim();
  if (!code.split('\n').slice(0, -1).every(isWithin)) return null;
  const longest = code.matchAll(/`+/g).reduce((most, [each]) => Math.max(most, each.length), 2);
  const mark = '`'.repeat(longest + 1);
  const language = /^\s*"?([\w+#.-]{1,30})"?(?=\s|$)/.exec(options)?.[1] ?? '';
  return `${mark}${language}${eol}${code}${indent}${mark}`;
}

/** Null for what stays as it is. */
function plainOf(groups: Groups, reader: MarkupReader): string | null {
  const { anchor, marked, link, ofPart, quote } = groups;
  const isNote = reader === 'obsidian';
  const isKramdown = reader === 'jekyll' || reader === 'hugo';
  if (anchor !== undefined) return isNote ? '' : null;
  if (marked !== undefined) return isNote ? `<mark>${marked}</mark>` : null;
  if (link !== undefined) return linkOf(groups);
  if (ofPart !== undefined) return isKramdown || groups.colon === '' ? '' : null;
  if ((groups.contents ?? groups.ofBlock ?? groups.ofHeading) !== undefined) return isKramdown ? '' : null;
  if (quote === undefined) return null;
  const kind = (groups.kind ?? '').toLowerCase();
  const words = groups.words?.trim() || kind.replace(/^./, (first) => first.toUpperCase());
  return `${quote}**${words}**\n${quote.trimEnd()}`;
}

/** A link by a tag of Hugo or Jekyll, to the file that it names. */
function linkOf({ link, site, ref, filtered, linked, post }: Groups): string | null {
  const file = linked === undefined ? post && `/_posts/${post}.md` : `/${linked}`;
  const target = ref ?? filtered ?? file;
  return site || target ? `${link}${target ?? ''}` : null;
}
