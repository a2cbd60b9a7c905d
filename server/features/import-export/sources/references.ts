import { decodeEntities } from './plain-text.ts';

/** What a text points at, as it was written. */
export interface Reference {
  target: string;
  /** By its name alone, as notes do: `[[a name]]`. */
  isByName: boolean;
}

/** Where it is to point instead; null to leave it as it is. */
export type RewriteReference = (reference: Reference) => string | null;

type Groups = Readonly<Record<string, string | undefined>>;

/** What may hold a reference, or keeps what looks like one from being one. */
const attribute = String.raw`(?<name>\b(?:src|href|poster|srcset|sizes))(?<is>\s*=\s*)(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\s"'<>=]+))`;
const html = new RegExp(attribute, 'gi');
const markdown = new RegExp(
  [
    String.raw`(?<fence>^ {0,3}(?:\x60{3,}|~{3,}))`,
    String.raw`(?<code>\x60+)`,
    String.raw`(?<wiki>!?)\[\[(?<note>[^[\]|#\n]+)(?<part>#[^[\]|\n]*)?(?:\|(?<alias>[^[\]\n]*))?\]\]`,
    String.raw`(?<open>\]\(\s{0,3})(?:<(?<angled>[^<>\n]*)>|(?<inline>[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))`,
    String.raw`(?<label>^ {0,3}\[(?!\^)[^[\]\n]+\]:[ \t]*)<?(?<defined>[^\s<>]+)>?`,
    attribute,
  ].join('|'),
  'gim',
);

/** Longest body that any record may have: one that is longer is refused as it came. */
export const longestBody = 500_000;

/** A text in which what it points at is put elsewhere, as far as `redirect` says. Code is left alone. */
export function rewriteReferences(
  text: string,
  form: 'markdown' | 'html',
  redirect: RewriteReference,
): string {
  if (text.length > longestBody) return text;
  const pattern = new RegExp(form === 'markdown' ? markdown : html);
  const pieces: string[] = [];
  let from = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const { groups = {}, index, 0: whole } = found;
    const skipped = endOfCode(text, index, groups);
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

/** Where code that begins here ends; null where none begins. Code within a line goes no further than its paragraph. */
function endOfCode(text: string, at: number, { fence, code }: Groups): number | null {
  if (fence !== undefined) {
    const closing = new RegExp(`^ {0,3}${fence.trim()}`, 'gm');
    closing.lastIndex = at + fence.length;
    return closing.test(text) ? closing.lastIndex : text.length;
  }
  if (code === undefined) return null;
  const begin = at + code.length;
  const [paragraph = ''] = text.slice(begin, begin + longestCode).split('\n\n', 1);
  const end = paragraph.indexOf(code);
  return end < 0 ? begin : begin + end + code.length;
}

/** Longest code within a line: what begins with more signs than end it is looked through no further. */
const longestCode = 1_000;

function redirected(groups: Groups, redirect: RewriteReference): string | null {
  const { name, is = '', open, label, note } = groups;
  if (note !== undefined) return wikiLink(groups, redirect);
  if (name !== undefined) return attributeOf({ ...groups, name, is }, redirect);
  const target = groups.angled ?? groups.inline ?? groups.defined ?? '';
  const to = redirect({ target: decodeEntities(target), isByName: false });
  return to === null ? null : `${open ?? label ?? ''}${to}`;
}

/** Of several sizes of a picture the one that `src` names is taken: sizes of it are made here. */
function attributeOf(
  { name, is, double, single, bare }: Groups & { name: string; is: string },
  redirect: RewriteReference,
) {
  const value = decodeEntities(double ?? single ?? bare ?? '');
  const kind = name.toLowerCase();
  if (kind === 'sizes') return null;
  if (kind !== 'srcset') {
    const to = redirect({ target: value.trim(), isByName: false });
    return to === null ? null : `${name}${is}"${escaped(to)}"`;
  }
  const [largest] = candidatesOf(value).toSorted((a, b) => b.size - a.size);
  const to = largest ? redirect({ target: largest.target, isByName: false }) : null;
  return to === null ? null : `${name}${is}"${escaped(to)}"`;
}

/** `a.jpg 400w, b.jpg 2x`. Addresses may hold commas, but no blanks. */
const candidatesOf = (srcset: string) =>
  srcset.split(/,\s+/).flatMap((each) => {
    const [target = '', size = '1x'] = each.trim().split(/\s+/);
    return target === '' ? [] : [{ target: target.replace(/,+$/, ''), size: Number.parseFloat(size) || 0 }];
  });

const escaped = (to: string) => to.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** A picture where it stands; of a note, a link to it. What follows a picture's name is its width, or what it shows. */
function wikiLink({ wiki, note = '', part = '', alias }: Groups, redirect: RewriteReference): string | null {
  const to = redirect({ target: note.trim(), isByName: true });
  if (to === null) return null;
  const isPicture = wiki === '!' && to.startsWith('/media/');
  const words =
    isPicture && /^\d+(?:x\d+)?$/.test(alias ?? '') ? '' : (alias ?? (isPicture ? '' : note.trim()));
  return `${isPicture ? '!' : ''}[${words}](${to}${isPicture ? '' : anchorOf(part)})`;
}

const anchorOf = (part: string) =>
  part === '' || part.startsWith('#^') ? '' : encodeURI(part.toLowerCase().replaceAll(' ', '-'));
