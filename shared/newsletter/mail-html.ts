import { escapeHtml } from '../content/sanitized-html.ts';
import { mediaUrl } from '../contract/features/media-address.ts';
import type { SiteStrings } from '../i18n/en.ts';
import { columnWide, gap, mailWidth } from '../mail/email-frame.ts';
import { codeNames, type MailStyle } from '../mail/email-style.ts';
import { mailedParts } from './html-parts.ts';
import { type MailedImage, mailedUrl } from './mailed-images.ts';

/** Replacements for elements that mail programs do not know. */
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

interface MailHtmlContext {
  /** Base URL for relative addresses. */
  base: string;
  /** URL of the post, for content that mail programs cannot play. */
  page: string;
  words: SiteStrings;
  style: MailStyle;
  dir: 'ltr' | 'rtl';
  /** The site's own images, keyed by ID. */
  pictures: ReadonlyMap<string, MailedImage>;
}

/** Converts sanitized HTML to HTML for email: inline styles, absolute URLs, and links instead of audio and video. */
export function toMailHtml(html: string, context: MailHtmlContext): string {
  const { page, words: strings } = context;
  const styles = stylesFor(context);
  const around = wrappersFor(context, styles);
  let made = '';
  /** Tag of the audio or video element that is being skipped; empty otherwise. */
  let left = '';
  let isInParagraph = false;
  /** For each open link, true if it has an address. */
  const links: boolean[] = [];
  for (const part of mailedParts(html, context.base)) {
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
      const link = `<a href="${escapeHtml(page)}" style="${styles.a}">${strings.recording}</a>`;
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
      else made += before + opened(tag, attributes, { ...context, styles });
    }
  }
  return made;
}

/** Returns markup around elements whose spacing and borders Outlook renders only on table cells. */
function wrappersFor({ style: { raised, line } }: MailHtmlContext, styles: Readonly<Record<string, string>>) {
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

interface OpeningTag extends MailHtmlContext {
  styles: Readonly<Record<string, string>>;
}

function opened(tag: string, attributes: Readonly<Record<string, string>>, context: OpeningTag): string {
  const known = carried.flatMap((name) => (name in attributes ? [[name, attributes[name] ?? '']] : []));
  if (tag === 'img') {
    const image = imageOf(attributes, context);
    if (!image) return '';
    known.unshift(...image);
  }
  if (tag === 'th' && !('scope' in attributes)) known.push(['scope', 'col']);
  const code = codeClass(attributes.class ?? '');
  const className = code ?? marked[tag];
  if (className) known.push(['class', className]);
  const styles = [context.styles[tag], styleOf(tag, attributes.class ?? '', context)];
  const style = styles.filter(Boolean).join(';');
  if (style) known.push(['style', style]);
  const written = known.map(([name, value]) => ` ${name}="${escapeHtml(value ?? '')}"`).join('');
  return `<${others[tag] ?? tag}${written}${empty.has(tag) ? ' /' : ''}>`;
}

/** Returns the image's `src` and `width`. Outlook limits the width only by this attribute. */
function imageOf(attributes: Readonly<Record<string, string>>, { base, pictures: images }: MailHtmlContext) {
  const { src } = attributes;
  if (!src) return null;
  const own = src.startsWith(new URL('/media/', base).href) ? images.get(src.split('/')[4] ?? '') : undefined;
  // Other URLs, such as a rendition that the author chose, stay unchanged.
  const isWhole = own && new URL(src).pathname === mediaUrl(own);
  const width = Number(attributes.width) || own?.width || 0;
  return [
    ['src', isWhole ? new URL(mailedUrl(own), base).href : src],
    ...(width > 0 ? [['width', String(Math.min(width, mailWidth))]] : []),
  ];
}

/** Returns the inline style for classes that a site's pages style by CSS. */
function styleOf(tag: string, classes: string, { style, styles }: OpeningTag): string {
  const side = /\balign-(left|center|right)\b/.exec(classes)?.[1];
  if (side) return `text-align:${side}`;
  if (tag === 'summary') return `${styles.p};font-weight:bold`;
  if (/\btask-list-item\b/.test(classes)) return 'list-style:none';
  const code = codeClass(classes);
  return code ? `color:${style[code]}` : '';
}

/** Returns the inline styles of elements, because no stylesheet works in all mail programs. */
function stylesFor({
  style,
  dir,
}: {
  style: MailStyle;
  dir: 'ltr' | 'rtl';
}): Readonly<Record<string, string>> {
  const { accent, line, soft, display, label, text, mono } = style;
  const [start, end] = dir === 'rtl' ? ['right', 'left'] : ['left', 'right'];
  const list = `margin:0 0 16px;margin-${start}:26px;padding:0`;
  const heading = `font-family:${display};font-weight:bold;line-height:1.25`;
  const cell = `padding:6px 10px;border:1px solid ${line};font-family:${text};font-size:15px;line-height:1.5`;
  return {
    p: 'margin:0 0 16px',
    h2: `margin:32px 0 12px;font-size:24px;${heading}`,
    h3: `margin:28px 0 10px;font-size:20px;${heading}`,
    h4: `margin:24px 0 8px;font-size:17px;${heading}`,
    h5: `margin:24px 0 8px;font-size:16px;${heading}`,
    h6: `margin:24px 0 8px;font-size:15px;${heading}`,
    a: `color:${accent};text-decoration:underline`,
    ul: list,
    ol: list,
    li: 'margin:0 0 6px',
    dd: `margin:0 0 8px;margin-${start}:24px`,
    dt: 'font-weight:bold',
    blockquote: 'margin:0',
    pre: `margin:0;font-family:${mono};font-size:14px;line-height:1.5;text-align:left;white-space:pre-wrap;overflow-wrap:anywhere`,
    code: `font-family:${mono};font-size:15px`,
    kbd: `font-family:${mono};font-size:15px`,
    mark: 'background-color:#fdf0a6;color:#1d1b18',
    hr: `margin:28px 0;border:0;border-top:1px solid ${line}`,
    img: `display:block;max-width:100%;height:auto;border:0`,
    figure: 'margin:0 0 20px',
    figcaption: `margin:6px 0 0;font-family:${label};font-size:14px;line-height:1.5;color:${soft}`,
    table: 'margin:0;border-collapse:collapse',
    // Outlook ignores margins of tables.
    spacer: 'margin:0 0 19px;font-size:1px;line-height:1px',
    th: `${cell};font-weight:bold;text-align:${start}`,
    td: `${cell};text-align:${start}`,
    caption: `padding:0 0 6px;font-size:14px;text-align:${start}`,
    sup: 'font-size:12px;line-height:1',
    sub: 'font-size:12px;line-height:1',
    small: 'font-size:14px',
    section: `font-size:15px;line-height:1.5`,
    quoted: `padding:0 0 0 16px;border-${start}:3px solid ${line};padding-${start}:16px;padding-${end}:0`,
  };
}

/** Elements that need a class for their colors on dark screens. */
const marked: Readonly<Record<string, string>> = {
  th: 'line',
  td: 'line',
  hr: 'line',
  figcaption: 'soft',
};

/** Syntax highlighting: the classes of a site's pages, for each kind of token. */
const codeClasses: Readonly<Record<(typeof codeNames)[number], RegExp>> = {
  comment: /\bhljs-(comment|quote)\b/,
  keyword: /\bhljs-(keyword|built_in|type|tag|name)\b/,
  string: /\bhljs-(string|regexp|attr|attribute)\b/,
  number: /\bhljs-(number|literal|variable)\b/,
  title: /\bhljs-(title|section)\b/,
};

const codeClass = (classes: string) => codeNames.find((name) => codeClasses[name].test(classes));
