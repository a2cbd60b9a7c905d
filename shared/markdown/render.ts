import { asWritten } from '../content/sanitized-html.ts';
import { withAnchors } from './anchors.ts';
import { excerpt } from './excerpt.ts';
import { sanitize } from './sanitize.ts';
import { markdownToHtml } from './to-html.ts';

export interface RenderedMarkdown {
  /** Sanitized HTML. */
  html: string;
  /** First paragraph as plain text. */
  excerpt: string;
}

/**
 * Maximum number of tags in a body, because sanitizing deeply nested tags takes quadratic time. A long article has some
 * hundreds.
 */
const maxTags = 20_000;

/**
 * Renders an owner's Markdown or HTML as sanitized HTML, for pages, feeds and previews. A body with too many tags is
 * shown as its source text.
 */
export function renderBody(content: string): RenderedMarkdown {
  const html = safeHtml(content);
  return {
    html: html === null ? asWritten(content) : withAnchors(html).html,
    excerpt: excerpt(content),
  };
}

/** Renders a body as sanitized HTML whose headings have no IDs yet. Returns null if it has too many tags. */
export function safeHtml(content: string): string | null {
  const html = markdownToHtml(content);
  return hasMoreTags(html, maxTags) ? null : sanitize(html);
}

function hasMoreTags(html: string, max: number): boolean {
  let at = -1;
  for (let tags = 0; tags <= max; tags++) {
    at = html.indexOf('<', at + 1);
    if (at < 0) return false;
  }
  return true;
}
