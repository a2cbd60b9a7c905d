import { footnote } from '@mdit/plugin-footnote';
import { tasklist } from '@mdit/plugin-tasklist';
import hljs from 'highlight.js/lib/common';
import MarkdownIt from 'markdown-it';

/** Longest piece of code that is coloured: colouring takes far longer than all else about a body. */
const longestColoured = 20_000;

const markdown = new MarkdownIt({ html: true, linkify: true, typographer: true, highlight: colour })
  .use(footnote)
  .use(tasklist);

// Bare domains are prose more often than links: `e.g.this` or `server.ts`.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** Markdown, with whatever HTML is in it, as HTML that is not yet safe. */
export const markdownToHtml = (text: string): string => markdown.render(text);

function colour(code: string, language: string): string {
  if (!hljs.getLanguage(language) || code.length > longestColoured) return '';
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
