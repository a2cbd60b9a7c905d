import { hash } from 'node:crypto';
import { keptThings, type ResponseCache, unchanging } from '../../kernel/response-cache.ts';
import { markdownToHtml } from './markdown.ts';
import { sanitize } from './sanitize.ts';

export { plainParagraphs } from './plain-paragraphs.ts';

/** A body as a page shows it. */
export interface RenderedBody {
  /** Safe HTML. */
  html: string;
}

/**
 * Most tags that are read: cleaning deeply nested ones takes time by the square of their number, during which the
 * process serves nobody else. A long article has some hundreds.
 */
const mostTags = 20_000;

/**
 * Markdown or HTML, written by the owner of a site, as safe HTML: for pages, feeds and previews alike. What has too many
 * tags is shown as the plain text that was written.
 */
export function renderBody(content: string): string {
  const html = markdownToHtml(content);
  return hasMoreTags(html, mostTags) ? `<pre>${escapeHtml(content)}</pre>` : sanitize(html);
}

function hasMoreTags(html: string, most: number): boolean {
  let at = -1;
  for (let tags = 0; tags <= most; tags++) {
    at = html.indexOf('<', at + 1);
    if (at < 0) return false;
  }
  return true;
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const keptBodies = keptThings<RenderedBody>('body');

/** The same, kept by what was written: a body is rendered once, whatever else changes around it. */
export function keptBody(responses: ResponseCache, content: string): RenderedBody {
  const key = unchanging(hash('sha256', content, 'base64url'));
  const kept = keptBodies.get(responses, key);
  if (kept) return kept;
  // A string that was put together holds on to all of its pieces, which take eight times as much as their text.
  const html = Buffer.from(renderBody(content)).toString();
  const body = { html };
  keptBodies.keep(responses, key, { thing: body, bytes: 2 * body.html.length });
  return body;
}
