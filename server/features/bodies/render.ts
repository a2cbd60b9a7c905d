import { createHash } from 'node:crypto';
import type { ResponseCache } from '../../kernel/response-cache.ts';
import { markdownToHtml } from './markdown.ts';
import { sanitize } from './sanitize.ts';

/** A body as a page shows it. */
export interface RenderedBody {
  /** Safe HTML. */
  html: string;
}

/** Markdown or HTML, written by the owner of a site, as safe HTML: for pages, feeds and previews alike. */
export const renderBody = (content: string): string => sanitize(markdownToHtml(content));

/** The same, kept by what was written: a body is rendered once, whatever else changes around it. */
export function keptBody(responses: ResponseCache, content: string): RenderedBody {
  const key = `body ${createHash('sha256').update(content).digest('base64url')}`;
  const kept = responses.get(key);
  // Only this function keeps anything under such a key.
  if (kept) return kept as RenderedBody;
  const body = { html: renderBody(content) };
  responses.keep(key, body, 2 * body.html.length);
  return body;
}
