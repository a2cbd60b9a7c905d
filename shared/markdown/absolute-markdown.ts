import { absoluteValue, escapeHtml, withoutEntities } from '../content/sanitized-html.ts';
import { ownMark, withAnchors } from './anchors.ts';
import { safeHtml } from './render.ts';
import { decodedAddress } from './to-html.ts';

/** Part of a body that may be a URL. Only the parser can decide, because it may be in code. */
interface Candidate {
  /** Name of the HTML attribute that contains the URL, in lower case; `href` for all Markdown links and images. */
  name: string;
  from: number;
  to: number;
  written: string;
  /** Encodes a URL so that it can replace the candidate in the body. */
  encode: (address: string) => string;
}

/**
 * Returns a body with absolute URLs, relative to `base`, in links, images, reference definitions and HTML. A fragment
 * refers to the same heading or anchor as on the page. Code and all other text stay unchanged.
 */
export function withAbsoluteMarkdown({ content, base }: { content: string; base: string }): string {
  const candidates = [...candidatesIn(content)];
  if (candidates.length === 0) return content;
  const marks = candidates.map((candidate, at) => ({ ...candidate, text: markOf(at) }));
  const marked = safeHtml(replaced(content, marks));
  if (marked === null) return content;
  const real = marksIn(marked);
  let anchors: ReturnType<typeof withAnchors> | undefined;
  const idOf = (fragment: string) => {
    anchors ??= withAnchors(safeHtml(content) ?? '');
    return anchors.idOf(fragment);
  };
  const edits = candidates.flatMap((candidate, at) => {
    if (!real.has(markOf(at))) return [];
    const address = absolute(candidate.name, candidate.written.trim(), { base, idOf });
    return address === null ? [] : [{ ...candidate, text: candidate.encode(address) }];
  });
  return replaced(content, edits);
}

function absolute(
  name: string,
  address: string,
  { base, idOf }: { base: string; idOf: (fragment: string) => string | null },
): string | null {
  if (name !== 'srcset' && /^[a-z][a-z0-9+.-]*:/i.test(address)) return null;
  const id = /^#./.test(address) ? idOf(address.slice(1)) : null;
  return absoluteValue(name, id === null ? address : `#${encodeURIComponent(withoutEntities(id))}`, base);
}

/** Returns a placeholder URL for a candidate. If the renderer outputs it as a URL, the candidate is one. */
const markOf = (at: number) => `/${ownMark}-${at}`;

function marksIn(html: string): Set<string> {
  const marks = new Set<string>();
  for (const [tag] of html.matchAll(/<[a-z][^>]*>/g))
    for (const [, value = ''] of tag.matchAll(/ (?:href|src|srcset|poster)="([^"]*)"/g)) marks.add(value);
  return marks;
}

function replaced(content: string, edits: readonly { from: number; to: number; text: string }[]): string {
  const pieces: string[] = [];
  let end = 0;
  for (const { from, to, text } of edits) {
    pieces.push(content.slice(end, from), text);
    end = to;
  }
  return [...pieces, content.slice(end)].join('');
}

/** Address of a link, in which parentheses are balanced, or in angle brackets. */
const address = String.raw`(?:<(?<angled>[^<>\n]*)>|(?<plain>(?:\\[^\n]|[^\s\\()<>]|\((?:\\[^\n]|[^\s\\()<>]|\([^\s\\()<>]*\))*\))+))`;
const quoted = String.raw`(?:"(?<double>[^"<>]*)"|'(?<single>[^'<>]*)'|(?<bare>[^\s"'<>=]+))`;
/** A footnote is not a reference definition, although it begins like one. */
const pattern = new RegExp(
  String.raw`(?<open>(?:\]\(|(?<!\[\^[^\]\n]{0,200})\]:)[ \t]{0,9}(?:\n[ \t>]{0,9})?)${address}|(?<before>\b(?<name>href|src|poster|srcset)\s{0,9}=\s{0,9})${quoted}`,
  'gi',
);

function* candidatesIn(content: string): Generator<Candidate> {
  for (const { 0: whole, index, groups = {} } of content.matchAll(pattern)) {
    const { open, angled, plain, before = '', name, double, single, bare } = groups;
    const from = index + (open ?? before).length;
    const to = index + whole.length;
    if (open === undefined) {
      const written = withoutEntities(double ?? single ?? bare ?? '');
      yield { name: (name ?? '').toLowerCase(), from, to, written, encode: (url) => `"${escapeHtml(url)}"` };
    } else
      yield { name: 'href', from, to, written: decodedAddress(angled ?? plain ?? ''), encode: encodedUrl };
  }
}

/** Encodes an absolute URL for Markdown. A `|` is encoded too, because it would end a table cell. */
function encodedUrl(url: string): string {
  const written = url.replaceAll('|', '%7C');
  return /[()]/.test(written) ? `<${written}>` : written;
}
