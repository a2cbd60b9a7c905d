import { captionAsTitle, createTurndown, isCaptioned } from './markdown-from-html.ts';

/** Start of an HTML block in Markdown that ends at a blank line. */
const block =
  /^ {0,3}<\/?(?:p|h[1-6]|[uo]l|li|d[ltd]|blockquote|div|section|fig(?:ure|caption)|hr|details|summary|iframe|table|caption|colgroup|col|thead|tbody|tfoot|t[rhd])(?=[\s/>]|$)/i;

/** Start of an HTML block that ends at its closing tag and may contain blank lines. */
const rawBlock = /^ {0,3}<pre(?=[\s>]|$)/i;
const rawEnd = /<\/(?:pre|script|style|textarea)>/i;

/**
 * True if a text consists of HTML only, as imported texts do, and a part of it can become Markdown. Markdown
 * with embedded HTML does not qualify, because reading it as HTML changes its meaning.
 */
export function isTurnable(text: string): boolean {
  const parts = partsOf(text);
  return parts.some((_, at) => isTurned(parts, at));
}

/**
 * Converts a text that consists of HTML to Markdown. Elements that Markdown cannot fully express stay HTML, so readers lose
 * nothing. Any other text gives an empty text: call it only if `isTurnable` returns true.
 */
export function turnHtml(text: string): string {
  const parts = partsOf(text);
  const service = createTurndown();
  service.escape = escaped;
  service.addRule('struck', { filter: ['del', 's'], replacement: (content) => `~~${content}~~` });
  return parts
    .map((part, at) => {
      if (!isTurned(parts, at)) return part.outerHTML;
      captionAsTitle(part);
      return service.turndown(part.outerHTML).trim();
    })
    .join('\n\n')
    .replaceAll(unread, 'style');
}

const unread = 'data-unread-style';

/** Returns the outermost elements of a text that consists of HTML; empty for any other text. */
function partsOf(text: string): Element[] {
  // Cheap check first: this runs while the user types, and most texts are not HTML.
  if (!/^\s*</.test(text) || !/>\s*$/.test(text) || /<[!?]/.test(text) || !isReadAsHtml(text)) return [];
  // Rename `style` attributes, which the content security policy would report in parsed HTML. Add a newline where `pre`
  // begins with an empty line, because the parser drops the first one.
  const told = text
    .replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/(\s)style(?=\s*=)/gi, `$1${unread}`))
    .replace(/<pre[^<>]*>(?=\n\n)/gi, '$&\n');
  const { body } = new DOMParser().parseFromString(told, 'text/html');
  // Elements that stay HTML are output in serialized form, where references such as `&#10;` are characters. A blank line
  // from them would end the HTML block.
  const isHtmlOnly = [...body.childNodes].every((node) =>
    isElement(node) ? isReadAsHtml(node.outerHTML) : isBlank(node),
  );
  return isHtmlOnly ? [...body.children] : [];
}

/** True if the renderer reads no part of a text as Markdown. */
function isReadAsHtml(text: string): boolean {
  let end: RegExp | null = null;
  for (const line of text.split(/\r\n?|\n/)) {
    if (!end && blankLine.test(line)) continue;
    if (!end && !block.test(line) && !rawBlock.test(line)) return false;
    end ??= rawBlock.test(line) ? rawEnd : blankLine;
    if (end.test(line)) end = null;
  }
  return end !== rawEnd;
}

const blankLine = /^[ \t]*$/;

function isTurned(parts: readonly Element[], at: number): boolean {
  const [before, part] = [parts[at - 1], parts[at]];
  // Two adjacent lists would become one.
  const isSecond = before?.matches(lists) && before.nodeName === part?.nodeName;
  return (
    part !== undefined &&
    !isSecond &&
    !isEmpty(part) &&
    [part, ...part.querySelectorAll('*')].every(isSayable)
  );
}

const lists = 'ul, ol';
const emphases = 'strong, b, em, i, del, s';
const inlines = `${emphases}, a, code, img, br`;

/** Elements that start a new line. */
const blocks = `p, h1, h2, h3, h4, h5, h6, blockquote, pre, li, hr, figure, figcaption, ${lists}`;

/** True if Markdown can express the element with all attributes at its position. Doubtful cases stay HTML. */
function isSayable(element: Element): boolean {
  if (!element.matches(`${inlines}, ${blocks}`) || ![...element.attributes].every(isSaid)) return false;
  if (element.matches(inlines) && element.querySelector(blocks)) return false;
  if ([...element.childNodes].some(isLinkedText)) return false;
  if (element.matches('figure, figcaption')) return isCaptioned(element.closest('figure'));
  if (element.matches('pre')) return isCodeBlock(element);
  if (element.matches('code')) return isPlainCode(element) && !isBesideMark(element);
  if (element.matches(emphases)) return !isEmpty(element) && isApart(element);
  // After `!` or `^` a link would become an image or a footnote.
  if (element.matches('a'))
    return element.hasAttribute('href') && !/[!^]$/.test(textOf(element.previousSibling));
  if (element.matches('img')) return element.hasAttribute('src');
  if (element.matches('br')) return isBetweenWords(element);
  if (element.matches('li')) return isItem(element);
  if (element.matches(lists)) return isList(element);
  return !element.matches('hr') || !element.closest('li');
}

/** True if Markdown keeps the attribute, or if the site's pages do not show it. */
function isSaid({ name, value, ownerElement }: Attr): boolean {
  const tag = ownerElement?.localName;
  if (name === 'href' && tag === 'a')
    return isPlainAddress(value) && /^(?:https?:|mailto:|tel:|[^:]*$|[/#?.])/i.test(value);
  if (name === 'src' && tag === 'img') return isPlainAddress(value) && /^(?:https?:|[^:]*$)/i.test(value);
  if (name === 'alt' && tag === 'img') return !/[\\`*_[\]<>~&\n]/.test(value);
  // An image's title would become its caption.
  if (name === 'title' && tag === 'a') return /^[^"\\&<\n]+$/.test(value);
  if (name === 'start' && tag === 'ol') return /^\d{1,8}$/.test(value) && !ownerElement?.closest('li');
  if (name === 'class' && tag === 'code') return /^(?:language-[\w+-]+)?$/.test(value);
  if (name === 'class') return !/\b(?:language-|hljs-|footnote|task-list|align-|scroll)/.test(value);
  if (name === 'id') return !/^(?:footnote|task-item)/.test(value);
  // The site sets `rel` on external links itself.
  if (name === 'rel') return /^https?:/i.test(ownerElement?.getAttribute('href') ?? '');
  return ['target', 'loading', 'decoding'].includes(name) || name.startsWith('data-');
}

const isPlainAddress = (address: string) => /^[^\s<>()\\`*[\]]+$/.test(address) && !/&#?\w+;/.test(address);

/** True for text with an address that is not a link in HTML but would be one in Markdown. */
const isLinkedText = (node: Node) =>
  node.nodeType === Node.TEXT_NODE &&
  /\/\/|mailto:/i.test(node.nodeValue ?? '') &&
  !node.parentElement?.closest('a, code');

const isPlainCode = (code: Element) => !isEmpty(code) && code.childElementCount === 0;

function isCodeBlock({ childNodes: [code, ...more] }: Element): boolean {
  return isElement(code) && code.matches('code') && more.length === 0 && !code.textContent.includes('```');
}

/** True if Markdown recognizes the element's marks: no letter or digit is directly beside them. */
function isApart(element: Element): boolean {
  const before = element.previousSibling;
  const after = element.nextSibling;
  const alike = ['strong, b', 'em, i', 'del, s'].find((tags) => element.matches(tags)) ?? emphases;
  const isWithin = element.parentElement?.closest(alike);
  const isClear =
    !/[^\s\p{P}]$/u.test(textOf(before)) && !/^[^\s\p{P}]/u.test(textOf(after)) && !isBesideMark(element);
  return isClear && !isWithin && element.textContent === element.textContent.trim();
}

const textOf = (node: Node | null) => (node?.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? '') : '');

const isBesideMark = (element: Element) =>
  [element.previousSibling, element.nextSibling].some(
    (node) => isElement(node) && node.matches(`${emphases}, code`),
  );

/** True for a line break between two words of a paragraph. Elsewhere it would end its line or start a paragraph. */
function isBetweenWords(element: Element): boolean {
  const { parentElement } = element;
  const isWord = (node: Node | null) =>
    node !== null && !isBlank(node) && !(isElement(node) && node.matches(`br, ${blocks}`));
  return (
    parentElement?.matches('p, li, blockquote') === true &&
    isWord(element.previousSibling) &&
    isWord(element.nextSibling)
  );
}

/** True for a list item that is not empty and whose nested list, if any, comes last. */
function isItem(item: Element): boolean {
  const list = [...item.children].findIndex((child) => child.matches(lists));
  const isLast = list < 0 || (list === item.childElementCount - 1 && isElement(lastOf(item)));
  return item.parentElement?.matches(lists) === true && !isEmpty(item) && isLast;
}

const lastOf = ({ childNodes }: Element) => [...childNodes].findLast((node) => !isBlank(node));

function isList(list: Element): boolean {
  const isOfItems = [...list.childNodes].every((node) =>
    isElement(node) ? node.matches('li') : isBlank(node),
  );
  const isSecond = list.previousElementSibling?.nodeName === list.nodeName;
  return isOfItems && list.childElementCount > 0 && (!isSecond || list.parentElement?.localName === 'body');
}

const isElement = (node: Node | null | undefined): node is Element => node instanceof Element;

const isBlank = (node: Node) => node.nodeType === Node.TEXT_NODE && !node.nodeValue?.trim();

const isEmpty = (element: Element) =>
  !element.textContent.trim() && !element.querySelector('img, hr') && !element.matches('hr');

/** Escapes text so that Markdown shows each character unchanged, also at the start of a line. */
const escaped = (text: string) =>
  text
    .replace(/[\\`*_[\]<~|]/g, '\\$&')
    .replace(/&(?=#?\w+;)/g, '\\&')
    // Sequences that the renderer turns into typographic signs.
    .replace(/-(?=-)|\+(?=-)|,(?=,)|\?(?=\?{3})|!(?=!{3})|(?<!\.)\.(?=\.(?!\.))|\((?=(?:c|r|tm)\))/gi, '\\$&')
    .replace(/^(\s*)([-+=>:])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)])/, '$1\\$2')
    .replace(/(^|\s)#/g, '$1\\#');
