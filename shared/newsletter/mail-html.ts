import type { Words } from '../words/en.ts';
import { absoluteUrl, htmlParts } from './html-parts.ts';

/** What programs that show mail are told of each element: they know no stylesheet that all of them would read. */
const styles: Readonly<Record<string, string>> = {
  p: 'margin:0 0 16px',
  h2: 'margin:32px 0 12px;font-size:24px;line-height:1.25',
  h3: 'margin:28px 0 10px;font-size:20px;line-height:1.3',
  h4: 'margin:24px 0 8px;font-size:17px;line-height:1.35',
  h5: 'margin:24px 0 8px;font-size:16px',
  h6: 'margin:24px 0 8px;font-size:15px',
  a: 'color:#0b57d0;text-decoration:underline',
  ul: 'margin:0 0 16px;padding:0 0 0 24px',
  ol: 'margin:0 0 16px;padding:0 0 0 28px',
  li: 'margin:0 0 6px',
  dd: 'margin:0 0 8px 24px',
  dt: 'font-weight:bold',
  blockquote: 'margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #c4c4c4',
  pre: 'margin:0 0 16px;padding:14px 16px;border:1px solid #d8d8d8;border-radius:6px;font:14px/1.5 Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere',
  code: 'font-family:Menlo,Consolas,monospace;font-size:0.9em',
  hr: 'margin:28px 0;border:0;border-top:1px solid #d0d0d0',
  img: 'display:block;max-width:100%;height:auto;border:0',
  figure: 'margin:0 0 20px',
  figcaption: 'margin:6px 0 0;font-size:14px',
  table: 'margin:0 0 20px;border-collapse:collapse;font-size:15px',
  th: 'padding:6px 10px;border:1px solid #d0d0d0;text-align:start',
  td: 'padding:6px 10px;border:1px solid #d0d0d0',
  caption: 'padding:0 0 6px;font-size:14px',
};

/** Elements as mail knows them, by those that it does not. */
const others: Readonly<Record<string, string>> = {
  section: 'div',
  details: 'div',
  summary: 'p',
  figure: 'div',
  figcaption: 'p',
  time: 'span',
  label: 'span',
};

const dropped = new Set(['picture', 'source', 'colgroup', 'col']);
const played = new Set(['audio', 'video']);
const empty = new Set(['br', 'hr', 'img']);

const carried = ['title', 'lang', 'dir', 'alt', 'colspan', 'rowspan', 'scope', 'start', 'reversed', 'value'];

/** Widest that mails are read, in pixels. Some programs take no other bound for images. */
export const mailWidth = 600;

interface Place {
  /** Against which addresses are read. */
  base: string;
  /** Where what mail can't play is found. */
  page: string;
  words: Words;
}

/** A body as mail shows it, of what the sanitiser wrote: inline styles, whole addresses, and links to what it can't play. */
export function toMailHtml(html: string, { base, page, words }: Place): string {
  let made = '';
  let playing = '';
  /** Whether each link that is open leads anywhere. */
  const links: boolean[] = [];
  for (const part of htmlParts(html)) {
    if (part.kind === 'text') {
      if (!playing) made += escapeHtml(part.text);
      continue;
    }
    const { kind, tag } = part;
    const attributes = kind === 'open' ? part.attributes : {};
    if (playing) {
      if (kind === 'close' && tag === playing) playing = '';
    } else if (played.has(tag)) {
      playing = kind === 'open' ? tag : '';
      made += `<p style="${styles.p}"><a href="${escapeHtml(page)}" style="${styles.a}">${words.recording}</a></p>`;
    } else if (tag === 'input') {
      made += 'checked' in attributes ? '☑ ' : '☐ ';
    } else if (tag === 'a') {
      const href = kind === 'open' ? absoluteUrl(attributes.href ?? '', base) : null;
      if (kind === 'open') links.push(href !== null);
      if (href) made += `<a href="${escapeHtml(href)}" style="${styles.a}">`;
      else if (kind === 'close' && links.pop()) made += '</a>';
    } else if (!dropped.has(tag)) {
      made += kind === 'open' ? opened(tag, attributes, base) : `</${others[tag] ?? tag}>`;
    }
  }
  return made;
}

function opened(tag: string, attributes: Readonly<Record<string, string>>, base: string): string {
  const known = carried.flatMap((name) => (name in attributes ? [[name, attributes[name] ?? '']] : []));
  if (tag === 'img') {
    const src = absoluteUrl(attributes.src ?? '', base);
    if (!src) return '';
    known.unshift(['src', src]);
    const width = Number(attributes.width);
    if (width > 0) known.push(['width', String(Math.min(width, mailWidth))]);
  }
  const style = [styles[tag], styleOf(tag, attributes.class ?? '')].filter(Boolean).join(';');
  if (style) known.push(['style', style]);
  const written = known.map(([name, value]) => ` ${name}="${escapeHtml(value ?? '')}"`).join('');
  return `<${others[tag] ?? tag}${written}${empty.has(tag) ? ' /' : ''}>`;
}

/** What the pages of a site tell by classes. */
function styleOf(tag: string, classes: string): string {
  const side = /\balign-(left|center|right)\b/.exec(classes)?.[1];
  if (side) return `text-align:${side}`;
  if (tag === 'summary') return `${styles.p};font-weight:bold`;
  if (/\btask-list-item\b/.test(classes)) return 'list-style:none';
  if (/\bhljs-(comment|quote)\b/.test(classes)) return 'color:#6a737d';
  if (/\bhljs-(keyword|built_in|type|tag|name)\b/.test(classes)) return 'color:#a626a4';
  if (/\bhljs-(string|regexp|attr|attribute)\b/.test(classes)) return 'color:#2f7d32';
  if (/\bhljs-(number|literal|title|variable)\b/.test(classes)) return 'color:#0b57d0';
  return '';
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (mark) => marks[mark] ?? mark);
