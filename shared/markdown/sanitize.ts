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

/** The one list of what a body may contain: nothing that runs, frames, submits or styles. */
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

/** A frame with what browsers without frames would show; one that ends in a slash is taken to have nothing in it. */
const filledFrames = new RegExp(`(${frame})(?<!/>)(?:[^<]|<(?!/?iframe\\b))*(?=</iframe\\b)`, 'gi');

/** Each frame ends where it begins: parsers take all that follows one without an end for what is in it. */
const withEmptyFrames = (html: string) => html.replace(filledFrames, '$1').replace(frames, '$&</iframe>');

/** `html` with nothing left in it that could run, and with what the pages of a site need on links, images and headings. */
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
    // Of what forms have, only a box that shows whether something is done says anything by itself.
    exclusiveFilter: ({ tag, attribs }) =>
      (tag === 'img' && !attribs.src) || (tag === 'input' && attribs.type?.toLowerCase() !== 'checkbox'),
  });
}

/** What another site would show in a frame is led to: a video that nobody can find is lost. */
function linkInPlace(tagName: string, { src = '', title }: Attributes) {
  const url = URL.parse(src, 'https://a.invalid');
  if (!url || !/^https?:$/.test(url.protocol) || url.host === 'a.invalid') return { tagName, attribs: {} };
  Object.assign(url, { username: '', password: '' });
  const attribs = { href: url.href, ...relOf({ href: url.href }) };
  return { tagName: 'a', attribs, text: title?.trim() || url.host.replace(/^www\./, '') };
}

/** Ids of footnotes and tasks. Imported texts have them in HTML. */
const noteId = /^(footnote(-ref)?\d+(:\d+)?|task-item-\d+)$/;

/**
 * Gives ids that a body declares, and labels that name them, a prefix that no id of the page begins with. Ids of footnotes
 * and tasks stay.
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

/** Markdown aligns columns by `style`, which the pages' policy forbids. */
function aligned(tagName: string, { style = '', ...attribs }: Attributes) {
  const side = /^text-align:\s*(left|center|right)$/.exec(style)?.[1];
  return { tagName, attribs: side ? { ...attribs, class: `align-${side}` } : attribs };
}

/** Gives headings levels that begin at 2, below the title of the page, and leave none out on the way down. */
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
