import type { MarkdownIt, StateCore, Token } from 'markdown-it';

/** The title of a picture that stands alone in its paragraph, perhaps as a link, is its caption, seen below it. */
export function captions({ core: { ruler } }: MarkdownIt) {
  ruler.after('inline', 'captions', (state) => {
    for (const [at, token] of state.tokens.entries()) {
      const [before, after] = [state.tokens[at - 1], state.tokens[at + 1]];
      if (before?.type !== 'paragraph_open' || after?.type !== 'paragraph_close') continue;
      const title = takeTitle(token);
      if (!title) continue;
      token.children?.push(...captionOf(state, title));
      Object.assign(before, { type: 'figure_open', tag: 'figure', hidden: false });
      Object.assign(after, { type: 'figure_close', tag: 'figure', hidden: false });
    }
  });
}

function takeTitle({ children }: Token): string {
  const [image, ...more] = (children ?? []).filter(({ type }) => !/^link_(open|close)$/.test(type));
  if (image?.type !== 'image' || more.length > 0) return '';
  const title = String(image.attrGet('title') ?? '').trim();
  image.attrs = image.attrs?.filter(([name]) => name !== 'title') ?? null;
  return title;
}

function captionOf({ Token }: StateCore, title: string): Token[] {
  const text = new Token('text', '', 0);
  text.content = title;
  return [
    new Token('figcaption_open', 'figcaption', 1),
    text,
    new Token('figcaption_close', 'figcaption', -1),
  ];
}
