import { gfm } from '@truto/turndown-plugin-gfm';
import TurndownService from 'turndown';

/**
 * Elements that count as formatting. Code editors only color text, so their HTML has none of these and is pasted as plain
 * text.
 */
const formats =
  'h1, h2, h3, h4, h5, h6, a[href], b, strong, em, i, ul, ol, blockquote, table, pre, code, del, img, hr';

/** Converts formatted HTML to Markdown, with http and https links and images only. Returns null if nothing is formatted. */
export function markdownFromHtml(html: string): string | null {
  // The page's content security policy blocks `style` attributes in parsed HTML.
  const told = html.replaceAll(/\sstyle=/gi, ' data-style=');
  const { body } = new DOMParser().parseFromString(told, 'text/html');
  for (const element of body.querySelectorAll('[data-style]')) sayByTag(element);
  for (const image of body.querySelectorAll('img')) {
    // In Markdown an image's title is its caption. On the source page it was only a tooltip.
    image.removeAttribute('title');
    if (!isOfTheWeb(image.src)) image.remove();
  }
  for (const figure of body.querySelectorAll('figure')) captionAsTitle(figure);
  for (const link of body.querySelectorAll('a')) {
    if (!isOfTheWeb(link.href) && !link.href.startsWith('mailto:')) link.replaceWith(...link.childNodes);
  }
  if (!body.querySelector(formats)) return null;
  return createTurndown().turndown(body).trim() || null;
}

const isOfTheWeb = (address: string) => /^https?:/.test(address);

/**
 * Converts styles of office programs into tags: they express bold and italic by style, and some wrap the whole text in a `b`
 * that is not bold.
 */
function sayByTag(element: Element) {
  const style = element.getAttribute('data-style') ?? '';
  const weight = /font-weight:\s*(\w+)/i.exec(style)?.[1];
  const isBold = weight === 'bold' || Number(weight) >= 600;
  if (element.matches('b, strong') && weight && !isBold) element.replaceWith(...element.childNodes);
  if (!element.matches('span')) return;
  if (isBold) wrapIn('strong', element);
  if (/font-style:\s*italic/i.test(style)) wrapIn('em', element);
}

function wrapIn(tag: string, element: Element) {
  const inner = document.createElement(tag);
  inner.append(...element.childNodes);
  element.append(inner);
}

export function createTurndown() {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '_',
  });
  service.use(gfm);
  service.remove(['style', 'script', 'title']);
  // Turndown's own rule puts three spaces after the mark of a list item; this rule puts one.
  service.addRule('listItem', {
    filter: 'li',
    replacement(content, item) {
      const list = item.parentElement;
      const index = [...(list?.children ?? [])].indexOf(item);
      const sign = list instanceof HTMLOListElement ? `${list.start + index}. ` : '- ';
      return `${sign}${content.trim().replaceAll('\n', `\n${' '.repeat(sign.length)}`)}\n`;
    },
  });
  return service;
}

/**
 * Makes the plain-text caption of a figure the title of its image, which Markdown can express. Changes `figure`
 * itself. Figures with other content or a formatted caption are left unchanged.
 */
export function captionAsTitle(figure: Element) {
  const [image, ...more] = figure.querySelectorAll('img, video, audio, table, pre, blockquote');
  const caption = figure.querySelector('figcaption');
  if (!(image instanceof HTMLImageElement) || more.length > 0 || !caption || caption.childElementCount > 0)
    return;
  image.title = caption.textContent.trim().replace(/\s+/g, ' ');
  caption.remove();
}

/** True if a figure has one image and a caption that reads the same as a Markdown title. */
export function isCaptioned(figure: Element | null): boolean {
  const [image, caption, ...more] = figure?.children ?? [];
  const labels = caption?.textContent.trim() ?? '';
  return (
    figure?.parentElement?.localName === 'body' &&
    image?.matches('img') === true &&
    caption?.matches('figcaption') === true &&
    more.length + caption.childElementCount === 0 &&
    labels !== '' &&
    labels === figure.textContent.trim() &&
    !readOtherwise.test(labels)
  );
}

/**
 * Characters that would end an image's title in Markdown, or that the renderer turns into links or typographic signs.
 */
const readOtherwise = /["&\\\n]|\/\/|mailto:|--|\+-|,,|\.\.|[?!]{4}|\((?:c|r|tm)\)/i;
