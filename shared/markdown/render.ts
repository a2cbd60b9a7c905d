import { asWritten } from '../content/sanitized-html.ts';
import { withAnchors } from './anchors.ts';
import { excerpt } from './excerpt.ts';
import { sanitize } from './sanitize.ts';
import { markdownToHtml } from './to-html.ts';

export interface RenderedMarkdown {
  /** Safe HTML. */
  html: string;
  /** The first paragraph as plain text. */
  excerpt: string;
}

/**
 * Most tags that are read: cleaning deeply nested ones takes time by the square of their number. A long article has some
 * hundreds.
 */
const mostTags = 20_000;

/**
 * Markdown or HTML, written by the owner of a site, as safe HTML: for pages, feeds and previews alike. What has too many
 * tags is shown as the plain text that was written.
 */
export function renderBody(content: string): RenderedMarkdown {
  const html = safeHtml(content);
  return {
    html: html === null ? asWritten(content) : withAnchors(html).html,
    excerpt: excerpt(content),
  };
}

/** A body as safe HTML whose headings have no ids yet. Null if it has too many tags. */
export function safeHtml(content: string): string | null {
  const html = markdownToHtml(content);
  return hasMoreTags(html, mostTags) ? null : sanitize(html);
}

function hasMoreTags(html: string, most: number): boolean {
  let at = -1;
  for (let tags = 0; tags <= most; tags++) {
    at = html.indexOf('<', at + 1);
    if (at < 0) return false;
  }
  return true;
}
