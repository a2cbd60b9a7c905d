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
