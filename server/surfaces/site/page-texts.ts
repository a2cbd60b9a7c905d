import type { Deps } from '../../kernel/deps.ts';
import { shortened } from './shortened.ts';

/** The texts that a page shows. */
export interface PageTexts {
  /** Whether one of them took too long to lay out: such a page isn't kept. */
  isAnyPlain(): boolean;
  /** A body as safe HTML. */
  html(content: string): Promise<string>;
  /** The first paragraph of a body as plain text, at most about `most` characters long. */
  excerpt(content: string, most?: number): Promise<string>;
  /** The paragraphs that a body begins with, as plain text; the last of them says whether more follows. */
  firstParagraphs(content: string): Promise<string[]>;
}

/** One after the other, so that a page with many texts doesn't stand before the others of its site. */
export function createPageTexts(markdown: ReturnType<Deps['markdown']>): PageTexts {
  let isAnyPlain = false;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(
    content: string,
    nothing: T,
    make: (content: string) => Promise<{ made: T; isPlain: boolean }>,
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
    html: async (content) => (await inTurn(content, { html: '', excerpt: '' }, markdown.render)).html,
    excerpt: async (content, most = 200) => shortened(await inTurn(content, '', markdown.excerpt), most),
    firstParagraphs: (content) => inTurn(content, [], markdown.firstParagraphs),
  };
}
