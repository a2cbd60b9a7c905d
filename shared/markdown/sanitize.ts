import sanitizeHtml, { type Attributes, type IOptions } from 'sanitize-html';
import { anchorPrefix, headingText, ownMark } from './anchors.ts';

const text = [
  ['p', 'br', 'hr', 'blockquote', 'pre', 'code', 'kbd', 'samp', 'var', 'div', 'span', 'section'],
  ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
  ['a', 'strong', 'b', 'em', 'i', 'u', 's', 'del', 'ins'],
  ['mark', 'small', 'sub', 'sup', 'abbr', 'cite', 'q', 'time', 'dfn'],
  ['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'colgroup', 'col'],
  ['img', 'figure', 'figcaption', 'picture', 'source', 'audio', 'video'],
  ['details', 'summary', 'input', 'label'],
].flat();

/** Tags and attributes that a body may contain: no scripts, frames, forms or styles. */
const allowed: IOptions = {
  allowedTags: text,
  allowedAttributes: {
    '*': ['title', 'lang', 'dir', 'id'],
    a: ['href', 'rel', 'class'],
    img: ['src', 'srcset', 'sizes', 'alt', 'width', 'height', 'loading', 'decoding'],
    source: ['src', 'srcset', 'sizes', 'media', 'type'],
    audio: ['src', 'controls', 'preload'],
    video: ['src', 'controls', 'preload', 'poster', 'width', 'height'],
    ol: ['start', 'reversed', 'class'],
    ul: ['class'],
    li: ['value', 'class'],
    th: ['scope', 'colspan', 'rowspan', 'class'],
    td: ['colspan', 'rowspan', 'class'],
    time: ['datetime'],
    details: ['open'],
    input: ['type', 'checked', 'disabled', 'class'],
    label: ['for', 'class'],
    pre: ['class'],
    code: ['class'],
    span: ['class'],
    sup: ['class'],
    section: ['class'],
    hr: ['class'],
    div: ['class'],
    ...Object.fromEntries(['h2', 'h3', 'h4', 'h5', 'h6'].map((tag) => [tag, [headingText]])),
  },
  allowedClasses: {
    '*': ['language-*', 'hljs-*', 'footnote*', 'task-list*', 'align-*', 'scroll'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: {
    img: ['http', 'https'],
    source: ['http', 'https'],
    audio: ['http', 'https'],
    video: ['http', 'https'],
  },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  enforceHtmlBoundary: false,
  nonBooleanAttributes: [],
  nestingLimit: 100,
};

const frame = /<iframe\b(?:[^<>"']|"[^"]*"|'[^']*')*>/.source;
const frames = new RegExp(frame, 'gi');

/** Frame with its fallback content. A self-closed one is considered empty. */
const filledFrames = new RegExp(`(${frame})(?<!/>)(?:[^<]|<(?!/?iframe\\b))*(?=</iframe\\b)`, 'gi');

/** Closes each frame immediately, because parsers treat everything after an unclosed frame as its content. */
const withEmptyFrames = (html: string) => html.replace(filledFrames, '$1').replace(frames, '$&</iframe>');

/**
 * Removes everything from HTML that could run, and adds attributes that a site's pages need on links, images and
 * headings.
 */
export function sanitize(html: string): string {
  const heading = orderHeadings(html);
  return sanitizeHtml(withEmptyFrames(html), {
    ...allowed,
    transformTags: {
      '*': (tagName, attribs) => ({ tagName, attribs: withSafeIds(attribs) }),
      a: (tagName, { name = '', ...attribs }) => ({
        tagName,
        attribs: { ...(name && { id: name }), ...attribs, ...relOf(attribs) },
      }),
      iframe: linkInPlace,
      input: (tagName, attribs) => ({ tagName, attribs: { ...attribs, disabled: 'disabled' } }),
      img: (tagName, attribs) => ({
        tagName,
        attribs: { alt: '', ...attribs, loading: 'lazy', decoding: 'async' },
      }),
      audio: (tagName, attribs) => ({ tagName, attribs: { ...attribs, controls: '', preload: 'none' } }),
      video: (tagName, attribs) => ({ tagName, attribs: { ...attribs, controls: '', preload: 'none' } }),
      th: aligned,
      td: aligned,
      ...Object.fromEntries(
        ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag) => [
          tag,
          (_: string, attribs: Attributes) => heading(Number(tag[1]), attribs),
        ]),
      ),
    },
    // Keep checkboxes, which show whether a task is done. Other inputs have no meaning without their form.
    exclusiveFilter: ({ tag, attribs }) =>
      (tag === 'img' && !attribs.src) || (tag === 'input' && attribs.type?.toLowerCase() !== 'checkbox'),
  });
}

/** Replaces a frame of another site with a link, so that readers can still find its content. */
function linkInPlace(tagName: string, { src = '', title }: Attributes) {
  const url = URL.parse(src, 'https://a.invalid');
  if (!url || !/^https?:$/.test(url.protocol) || url.host === 'a.invalid') return { tagName, attribs: {} };
  Object.assign(url, { username: '', password: '' });
  const attribs = { href: url.href, ...relOf({ href: url.href }) };
  return { tagName: 'a', attribs, text: title?.trim() || url.host.replace(/^www\./, '') };
}

/** IDs of footnotes and tasks, which imported bodies contain as HTML. */
const noteId = /^(footnote(-ref)?\d+(:\d+)?|task-item-\d+)$/;

/**
 * Adds a prefix to IDs that a body declares, and to labels that refer to them. They therefore never equal an ID of the
 * page. IDs of footnotes and tasks stay.
 */
function withSafeIds({ id = '', for: labelled = '', ...attribs }: Attributes): Attributes {
  const safe = (name: string) =>
    name.includes(ownMark) || noteId.test(name) ? name : `${anchorPrefix}${name.trim().replace(/\s+/g, '-')}`;
  return {
    ...attribs,
    ...(id.trim() && { id: safe(id) }),
    ...(labelled.trim() && { for: safe(labelled) }),
  };
}

function relOf({ href = '' }: Attributes): Attributes {
  return /^https?:/i.test(href) ? { rel: 'noopener' } : {};
}

/** Replaces inline alignment of table cells with a class, because the pages' policy forbids inline styles. */
function aligned(tagName: string, { style = '', ...attribs }: Attributes) {
  const side = /^text-align:\s*(left|center|right)$/.exec(style)?.[1];
  return { tagName, attribs: side ? { ...attribs, class: `align-${side}` } : attribs };
}

/**
 * Returns a function that adjusts heading levels: they begin at 2, below the page's title, and never skip a level
 * downward.
 */
function orderHeadings(html: string) {
  const levels = [...html.matchAll(/<h([1-6])[\s>]/gi)].map(([, level]) => Number(level));
  const highest = Math.min(...levels, 6);
  let last = 1;
  return (level: number, { id = '', [headingText]: text = '' }: Attributes) => {
    last = Math.min(Math.max(level - highest + 2, 2), last + 1, 6);
    const own = text.startsWith(ownMark) ? { [headingText]: text } : {};
    return { tagName: `h${last}`, attribs: { ...(id && { id }), ...own } };
  };
}
