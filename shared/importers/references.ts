import { mediaTypes } from '../contract/features/media.ts';
import { decodedPath } from '../contract/site-paths.ts';
import { kindOfLine, topOfText } from './markdown-lines.ts';
import { decodeEntities } from './plain-text.ts';

/** Link, image or embed of a text. */
export interface Reference {
  /** Target as written; for a wiki link, without the part after `#`. */
  target: string;
  /** True for a wiki link, `[[a name]]`, which names its target. */
  isByName: boolean;
  /** Decoded fragment without its `#`; in a wiki link, the words of a heading, or `^` and a block ID. */
  fragment: string;
}

/** Returns the new URL of a reference with its fragment, or null to leave it unchanged. */
export type RewriteReference = (reference: Reference) => string | null;

type Groups = Readonly<Record<string, string | undefined>>;

/** Attributes that contain references. */
const attribute = String.raw`(?<name>\b(?:src|href|poster|srcset|sizes))(?<is>\s*=\s*)(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\s"'<>=]+))`;
const html = new RegExp(attribute, 'gi');
const markdown = new RegExp(
  [
    String.raw`(?<code>\x60+)`,
    // In a table cell, the separator before the alias has a backslash.
    String.raw`(?<wiki>!?)\[\[(?<note>(?:[^[\]|#\n\\]|\\(?!\|))*)(?<part>#(?:[^[\]|\n\\]|\\(?!\|))*)?(?:(?<bar>\\?\|)(?<alias>[^[\]\n]*))?\]\](?!\()`,
    String.raw`(?<open>\]\(\s{0,3})(?:<(?<angled>[^<>\n]*)>|(?<inline>[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))`,
    String.raw`(?<label>^[ \t>]{0,20}\[(?!\^)[^[\]\n]+\]:[ \t]*)<?(?<defined>[^\s<>]+)>?`,
    attribute,
  ].join('|'),
  'gim',
);

/** Maximum length of a body, in characters. A longer one is not rewritten, because its record is refused. */
export const maxBodyLength = 500_000;

/**
 * Rewrites the references of a text for which `redirect` returns a URL. Code stays as written. A text longer than
 * `maxBodyLength` is returned unchanged.
 */
export function rewriteReferences(
  text: string,
  form: 'markdown' | 'html',
  redirect: RewriteReference,
): string {
  if (text.length > maxBodyLength) return text;
  const pattern = new RegExp(form === 'markdown' ? markdown : html);
  const pieces: string[] = [];
  const code = form === 'markdown' ? codeIn(text) : [];
  let [from, block] = [0, 0];
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const { groups = {}, index, 0: whole } = found;
    while ((code[block]?.until ?? index + 1) <= index) block += 1;
    const next = code[block];
    const skipped = next && next.from <= index ? next.until : endOfCode(text, index, groups);
    if (skipped !== null) {
      pattern.lastIndex = skipped;
      continue;
    }
    const written = redirected(groups, redirect);
    if (written === null) continue;
    pieces.push(text.slice(from, index), written);
    from = index + whole.length;
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(from)].join('');
}

/** Returns the ranges of code blocks in Markdown, also in lists and quotes, in order. */
function codeIn(text: string): { from: number; until: number }[] {
  const blocks: { from: number; until: number }[] = [];
  const position = topOfText();
  let from = 0;
  while (from < text.length) {
    const until = text.indexOf('\n', from) + 1 || text.length;
    const last = blocks.at(-1);
    if (kindOfLine(text.slice(from, until), position) !== 'code') from = until;
    else if (last?.until === from) from = last.until = until;
    else {
      blocks.push({ from, until });
      from = until;
    }
  }
  return blocks;
}

/** Returns the end of the code span that begins here, or null if none begins. A code span ends with its paragraph. */
function endOfCode(text: string, at: number, { code }: Groups): number | null {
  if (code === undefined) return null;
  const begin = at + code.length;
  const [paragraph = ''] = text.slice(begin, begin + maxCodeLength).split('\n\n', 1);
  const end = paragraph.indexOf(code);
  return end < 0 ? begin : begin + end + code.length;
}

/** Maximum length of a code span, in characters, so that an unclosed one does not cost quadratic time. */
const maxCodeLength = 1_000;

function redirected(groups: Groups, redirect: RewriteReference): string | null {
  const { name, is = '', open, label, note } = groups;
  if (note !== undefined) return wikiLink(groups, redirect);
  if (name !== undefined) return attributeOf({ ...groups, name, is }, redirect);
  const target = groups.angled ?? groups.inline ?? groups.defined ?? '';
  const to = redirect(addressed(decodeEntities(target)));
  return to === null ? null : `${open ?? label ?? ''}${to}`;
}

function addressed(target: string): Reference {
  const mark = target.indexOf('#');
  return {
    target,
    isByName: false,
    fragment: mark < 0 ? '' : decodedPath(target.slice(mark + 1)).toWellFormed(),
  };
}

/** Rewrites an attribute. In `srcset`, the largest imported image replaces all sizes, since media makes renditions of it. */
function attributeOf(
  { name, is, double, single, bare }: Groups & { name: string; is: string },
  redirect: RewriteReference,
) {
  const value = decodeEntities(double ?? single ?? bare ?? '');
  const kind = name.toLowerCase();
  if (kind === 'sizes') return null;
  const targets =
    kind === 'srcset'
      ? candidatesOf(value)
          .toSorted((a, b) => b.size - a.size)
          .map(({ target }) => target)
      : [value.trim()];
  for (const target of targets) {
    const to = redirect(addressed(target));
    if (to !== null) return `${name}${is}"${escaped(to)}"`;
  }
  return null;
}

/** Parses `a.jpg 400w, b.jpg 2x`. URLs may contain commas, but no blanks. */
const candidatesOf = (srcset: string) =>
  srcset.split(/,\s+/).flatMap((each) => {
    const [target = '', size = '1x'] = each.trim().split(/\s+/);
    return target === '' ? [] : [{ target: target.replace(/,+$/, ''), size: Number.parseFloat(size) || 0 }];
  });

const escaped = (to: string) => to.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/**
 * Markdown or HTML for a wiki link: an embedded image, recording or video, or a link. The width of an embedded file is
 * dropped. Null if `redirect` returns no URL.
 */
function wikiLink(
  { wiki, note = '', part = '', bar, alias }: Groups,
  redirect: RewriteReference,
): string | null {
  const [target, fragment] = [note.trim(), part.slice(1).trim().toWellFormed()];
  const to = target || fragment ? redirect({ target, isByName: true, fragment }) : null;
  if (to === null) return null;
  const isFile = wiki === '!' && to.startsWith('/media/');
  const given = alias?.split(/\\?\|/) ?? [];
  if (isFile && /^\s*\d+(?:x\d+)?\s*$/.test(given.at(-1) ?? '')) given.pop();
  const words = given.join(bar === '\\|' ? '\\|' : '|');
  const kind = isFile ? kindOfFile(target) : 'link';
  if (kind === 'audio' || kind === 'video') return `<${kind} controls src="${escaped(to)}"></${kind}>`;
  if (kind === 'image') return `![${words}](${to})`;
  return `[${words || target || fragment.replaceAll('#', ' > ')}](${to})`;
}

/** Kind of an embedded file, by its file name extension. */
function kindOfFile(name: string): string {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  const [type = ''] = Object.entries(mediaTypes).find(([, known]) => known === ending) ?? [];
  return /^(?:image|audio|video)(?=\/)/.exec(type)?.[0] ?? (ending === 'jpeg' ? 'image' : 'link');
}
