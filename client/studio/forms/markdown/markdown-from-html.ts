import { gfm } from '@truto/turndown-plugin-gfm';
import TurndownService from 'turndown';

/** What formats a text, and not only colours it: code that editors colour stays as it was written. */
const formats =
  'h1, h2, h3, h4, h5, h6, a[href], b, strong, em, i, ul, ol, blockquote, table, pre, code, del, img, hr';

/** Formatted text as Markdown, with links and pictures of the web alone; null where nothing is formatted. */
export function markdownFromHtml(html: string): string | null {
  // The policy of the page takes styles away from what is parsed in it.
  const told = html.replaceAll(/\sstyle=/gi, ' data-style=');
  const { body } = new DOMParser().parseFromString(told, 'text/html');
  for (const element of body.querySelectorAll('[data-style]')) sayByTag(element);
  for (const image of body.querySelectorAll('img')) {
    // Nobody has seen it as a caption, which it would become.
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

/** Office programs say by style what is bold and what is not: some wrap all of a text in a tag that is neither. */
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
  // Its own puts three blanks behind the sign, which nobody writes.
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

/** Words below the one picture of a figure are its title in Markdown. */
export function captionAsTitle(figure: Element) {
  const [picture, ...more] = figure.querySelectorAll('img, video, audio, table, pre, blockquote');
  const caption = figure.querySelector('figcaption');
  if (!(picture instanceof HTMLImageElement) || more.length > 0 || !caption || caption.childElementCount > 0)
    return;
  picture.title = caption.textContent.trim().replace(/\s+/g, ' ');
  caption.remove();
}

/** Whether it is a picture above words that read the same where they are its title. */
export function isCaptioned(figure: Element | null): boolean {
  const [picture, caption, ...more] = figure?.children ?? [];
  const words = caption?.textContent.trim() ?? '';
  return (
    figure?.parentElement?.localName === 'body' &&
    picture?.matches('img') === true &&
    caption?.matches('figcaption') === true &&
    more.length + caption.childElementCount === 0 &&
    words !== '' &&
    words === figure.textContent.trim() &&
    !readOtherwise.test(words)
  );
}

/** What ends a title, and what the renderer makes links and signs of. */
const readOtherwise = /["&\\\n]|\/\/|mailto:|--|\+-|,,|\.\.|[?!]{4}|\((?:c|r|tm)\)/i;
