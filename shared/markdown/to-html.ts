import { footnote } from '@mdit/plugin-footnote';
import MarkdownIt, { type Token } from 'markdown-it';
import { mailtoUrl } from '../contract/email.ts';
import { declaredIds, ownMark } from './anchors.ts';
import { captions } from './captions.ts';
import { boundColours, colour } from './colours.ts';
import { boundTables } from './tables.ts';
import { taskLists } from './task-lists.ts';

const markdown = new MarkdownIt({ html: true, linkify: true, typographer: true, highlight: colour })
  .use(footnote)
  .use(declaredIds)
  .use(taskLists)
  .use(captions)
  .use(boundTables)
  .use(boundColours);

// Bare domains are prose more often than links: `e.g.this` or `server.ts`.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

// CommonMark leaves `?`, `&` and `%` of an address such as `<r&d@example.com>` as they are, where mail programs read them as parts of the URL.
markdown.core.ruler.push('address_links', ({ tokens }) => {
  for (const { children } of tokens)
    for (const [at, token] of (children ?? []).entries())
      if (token.markup === 'autolink' && /^mailto:/.test(String(token.attrGet('href'))))
        token.attrSet('href', mailtoUrl(children?.[at + 1]?.content ?? ''));
});

/** Markdown, with whatever HTML is in it, as HTML that is not yet safe. */
export const markdownToHtml = (text: string): string => markdown.render(text, { docId: ownMark });

/** What the renderer reads in a text, before it is HTML. */
export const markdownTokens = (text: string): Token[] => markdown.parse(text, {});

/** `text` with the characters that its HTML entities stand for. */
export const withoutEntities = (text: string): string =>
  markdown.utils.unescapeAll(text.replace(/\\/g, '\\\\'));

/** Decodes the backslash escapes and entities of an address in Markdown. */
export const decodedAddress = (text: string): string => markdown.utils.unescapeAll(text);
