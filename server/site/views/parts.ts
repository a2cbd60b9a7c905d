import { html } from 'hono/html';
import { mailtoUrl } from '../../../shared/contract/email.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';

/** Piece of HTML. Templates escape every inserted value that is not a View itself. */
export type View = ReturnType<typeof html>;

export const nothing = html``;

export const each = <T>(items: readonly T[], view: (item: T, index: number) => View): View =>
  items.length === 0 ? nothing : html`${items.map(view)}`;

export const when = (condition: unknown, view: () => View): View => (condition ? view() : nothing);

/** Top of a page with a title and a sentence. */
export const intro = (title: string, lead: string | View): View =>
  html`<div class="opening"><h1>${title}</h1><p class="lead">${lead}</p></div>`;

/** Renders a section with a heading; empty without content. */
export const band = (name: string, content: View | '' | false | undefined): View =>
  when(content, () => html`<section class="band"><h2>${name}</h2><div>${content}</div></section>`);

/** Separator with spaces of a third of an em, because ordinary ones nearly vanish next to the dot. */
export const middot = '\u2004·\u2004';

export const joined = (parts: readonly (string | null | undefined | false)[], separator = middot) =>
  parts.filter(Boolean).join(separator);

/** Isolates a text that begins with a number. Otherwise a right-to-left page would move the number to the end. */
export const inOneDirection = (text: string): View => html`<bdi>${text}</bdi>`;

export const paragraphs = (text: string): View =>
  each(
    text.split(/\n\s*\n/).filter((part) => part.trim() !== ''),
    (part) => html`<p>${lines(part.trim())}</p>`,
  );

export const lines = (text: string): View =>
  each(text.split('\n'), (line, index) => (index === 0 ? html`${line.trim()}` : html`<br>${line.trim()}`));

/** Replaces `{address}`, which the sentence must contain once, by an email link. */
export function withAddress(sentence: string, email: string): View {
  const [before, after] = sentence.split('{address}');
  return html`${before}<a href="${mailtoUrl(email)}">${email}</a>${after}`;
}

export const tagPath = (tag: string) => `/tags/${encodeURIComponent(tag)}`;

export const tagFeedPath = (tag: string) => `${tagPath(tag)}/feed.xml`;

/** Renders links to the pages of tags; empty if there are none. An empty tag has no page. */
export const tagList = (tags: readonly string[]): View =>
  when(
    tags.some(Boolean),
    () => html`<ul class="tags" role="list">
${each(tags.filter(Boolean), (tag) => html`<li><a href="${tagPath(tag)}" rel="tag">${tag}</a></li>`)}
</ul>`,
  );

export const nameList = (strings: readonly string[]): View =>
  when(
    strings.length > 0,
    () => html`<ul class="words" role="list">${each(strings, (word) => html`<li>${word}</li>`)}</ul>`,
  );

/** Icon for gated content, with a label for screen readers. */
export const lockIcon = ({ restricted }: SiteStrings): View =>
  html`<svg class="lock" viewBox="0 0 16 16" width="14" height="14" role="img" aria-label="${restricted}"><path d="M4.5 7V5a3.5 3.5 0 0 1 7 0v2h.5a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1h.5Zm1.5 0h4V5a2 2 0 1 0-4 0v2Z" fill="currentColor"/></svg>`;

/**
 * Renders a link to another site; empty if `href` is. For several links with the same text, `of` distinguishes them for
 * screen readers.
 */
export const outLink = (href: string, text: string, of = ''): View =>
  when(
    href,
    () =>
      html`<a href="${href}" rel="noopener">${text}${when(of, () => html`<span class="heard">: ${of}</span>`)}<span class="out" aria-hidden="true"> ↗</span></a>`,
  );
