import { mediaUrl } from '../contract/features/media-address.ts';
import { columnWide, gap, mailWidth } from '../mail/shell.ts';
import type { MailStyle } from '../mail/style.ts';
import { escapeHtml } from '../sanitized-html.ts';
import type { Words } from '../words/en.ts';
import { codeClass, marked, stylesFor } from './element-styles.ts';
import { mailedParts } from './html-parts.ts';
import { type MailedPicture, mailedUrl } from './pictures.ts';

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

interface Place {
  /** Against which addresses are read. */
  base: string;
  /** Where what mail can't play is found. */
  page: string;
  words: Words;
  style: MailStyle;
  dir: 'ltr' | 'rtl';
  /** What is known of the site's own pictures, by their ids. */
  pictures: ReadonlyMap<string, MailedPicture>;
}

/** A body as mail shows it, of what the sanitiser wrote: inline styles, whole addresses, and links to what it can't play. */
export function toMailHtml(html: string, place: Place): string {
  const { page, words } = place;
  const styles = stylesFor(place);
  const around = wrappersFor(place, styles);
  let made = '';
  /** What nothing is written of until it ends, and how it ends. */
  let left = '';
  let isInParagraph = false;
  /** Whether each link that is open leads anywhere. */
  const links: boolean[] = [];
  for (const part of mailedParts(html, place.base)) {
    if (part.kind === 'text') {
      if (!left) made += escapeHtml(part.text);
      continue;
    }
    const { kind, tag } = part;
    const attributes = kind === 'open' ? part.attributes : {};
    if (left) {
      if (kind === 'close' && tag === left) left = '';
    } else if (played.has(tag)) {
      left = kind === 'open' ? tag : '';
      const link = `<a href="${escapeHtml(page)}" style="${styles.a}">${words.recording}</a>`;
      made += isInParagraph ? link : `<p style="${styles.p}">${link}</p>`;
    } else if (tag === 'input') {
      made += 'checked' in attributes ? '☑ ' : '☐ ';
    } else if (tag === 'a') {
      const { href } = attributes;
      if (kind === 'open') links.push(href !== undefined);
      if (href) made += `<a href="${escapeHtml(href)}" style="${styles.a}">`;
      else if (kind === 'close' && links.pop()) made += '</a>';
    } else if (!dropped.has(tag)) {
      if (tag === 'p') isInParagraph = kind === 'open';
      const [before = '', after = ''] = around[tag] ?? [];
      if (kind === 'close') made += `</${others[tag] ?? tag}>${after}`;
      else made += before + opened(tag, attributes, { ...place, styles });
    }
  }
  return made;
}

/** What stands around elements whose room and lines Outlook draws of cells alone. */
function wrappersFor({ style: { raised, line } }: Place, styles: Readonly<Record<string, string>>) {
  const room = `padding:14px 16px;border:1px solid ${line};background-color:${raised}`;
  const after = `</td></tr>${gap(16)}</table>`;
  const wrappers: Readonly<Record<string, readonly [string, string]>> = {
    pre: [
      `<table ${columnWide}><tr><td class="raised line" bgcolor="${raised}" dir="ltr" style="${room}">`,
      after,
    ],
    table: ['', `<p style="${styles.spacer}">&nbsp;</p>`],
    blockquote: [`<table ${columnWide}><tr><td class="line" style="${styles.quoted}">`, after],
  };
  return wrappers;
}

interface Opening extends Place {
  styles: Readonly<Record<string, string>>;
}

function opened(tag: string, attributes: Readonly<Record<string, string>>, place: Opening): string {
  const known = carried.flatMap((name) => (name in attributes ? [[name, attributes[name] ?? '']] : []));
  if (tag === 'img') {
    const image = imageOf(attributes, place);
    if (!image) return '';
    known.unshift(...image);
  }
  if (tag === 'th' && !('scope' in attributes)) known.push(['scope', 'col']);
  const code = codeClass(attributes.class ?? '');
  const className = code ?? marked[tag];
  if (className) known.push(['class', className]);
  const styles = [place.styles[tag], styleOf(tag, attributes.class ?? '', place)];
  const style = styles.filter(Boolean).join(';');
  if (style) known.push(['style', style]);
  const written = known.map(([name, value]) => ` ${name}="${escapeHtml(value ?? '')}"`).join('');
  return `<${others[tag] ?? tag}${written}${empty.has(tag) ? ' /' : ''}>`;
}

/** Where an image is, and how wide: Outlook takes no other bound than this attribute. */
function imageOf(attributes: Readonly<Record<string, string>>, { base, pictures }: Place) {
  const { src } = attributes;
  if (!src) return null;
  const own = src.startsWith(new URL('/media/', base).href)
    ? pictures.get(src.split('/')[4] ?? '')
    : undefined;
  // What is named otherwise, such as a copy of one size, stays what its author chose.
  const isWhole = own && new URL(src).pathname === mediaUrl(own);
  const width = Number(attributes.width) || own?.width || 0;
  return [
    ['src', isWhole ? new URL(mailedUrl(own), base).href : src],
    ...(width > 0 ? [['width', String(Math.min(width, mailWidth))]] : []),
  ];
}

/** What the pages of a site tell by classes. */
function styleOf(tag: string, classes: string, { style, styles }: Opening): string {
  const side = /\balign-(left|center|right)\b/.exec(classes)?.[1];
  if (side) return `text-align:${side}`;
  if (tag === 'summary') return `${styles.p};font-weight:bold`;
  if (/\btask-list-item\b/.test(classes)) return 'list-style:none';
  const code = codeClass(classes);
  return code ? `color:${style[code]}` : '';
}
