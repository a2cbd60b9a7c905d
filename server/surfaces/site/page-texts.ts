import { shortened } from '../../../shared/words/shortened.ts';

export interface PageTexts {
  /** Whether one of them took too long to lay out: such a page isn't kept. */
  isAnyPlain(): boolean;
  /** A body as safe HTML. */
  html(content: string): Promise<string>;
  /** The first paragraph of a body as plain text, at most about `most` characters long. */
  excerpt(content: string, most?: number): Promise<string>;
  /** The paragraphs that a body begins with, as plain text; the last of them says whether more follows. */
  firstParagraphs(content: string): Promise<string[]>;
  /** The body as it was written, with addresses made absolute, relative to `base`. */
  withAbsoluteUrls(content: string, base: string): Promise<string>;
}

/** What is made of a text; plain where that takes too long. */
interface Made<T> {
  made: T;
  isPlain: boolean;
}

/** What is made of the texts of a site. */
interface TextMaker {
  render(content: string): Promise<Made<{ html: string }>>;
  excerpt(content: string): Promise<Made<string>>;
  firstParagraphs(content: string): Promise<Made<string[]>>;
  withAbsoluteUrls(content: string, base: string): Promise<Made<string>>;
}

/** One after the other, so that a page with many texts doesn't stand before the others of its site. */
export function createPageTexts(markdown: TextMaker): PageTexts {
  let isAnyPlain = false;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(
    content: string,
    nothing: T,
    make: (content: string) => Promise<Made<T>>,
  ): Promise<T> => {
    if (content === '') return Promise.resolve(nothing);
    const next = last
      .catch(() => {})
      .then(async () => {
        const { made, isPlain } = await make(content);
        isAnyPlain ||= isPlain;
        return made;
      });
    last = next;
    return next;
  };
  return {
    isAnyPlain: () => isAnyPlain,
    html: async (content) => (await inTurn(content, { html: '' }, markdown.render)).html,
    excerpt: async (content, most = 200) => shortened(await inTurn(content, '', markdown.excerpt), most),
    firstParagraphs: (content) => inTurn(content, [], markdown.firstParagraphs),
    withAbsoluteUrls: (content, base) => inTurn(content, '', () => markdown.withAbsoluteUrls(content, base)),
  };
}
