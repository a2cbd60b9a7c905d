import { html } from 'hono/html';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { subscribeField } from './forms.ts';
import type { LayoutData } from './layout-data.ts';
import { each, nothing, tagList, type View, when } from './parts.ts';
import { portrait } from './portrait.ts';
import { postRow } from './records.ts';

export type Around = OutputOf<'visitors.postsAround'>;
type Beside = Around['before'];

interface Ended {
  found: Pick<OutputOf<'v1.posts.get'>, 'slug' | 'tags'>;
  /** Null for a preview: it sends no `Referer`, so its forms would come with `Origin: null` and be refused. */
  around: Around | null;
}

/** What stands below a post: its topics, who wrote it, and where to go on from there. */
export const postEnd = async (
  visit: Visit,
  layout: LayoutData,
  { found, around }: Ended,
): Promise<View> => html`<footer class="after">${tagList(found.tags)}
${await byline(visit, layout)}
${around ? onwards(visit, found.slug, around) : nothing}</footer>`;

/** A way to hear of the next post, and those to read now. */
function onwards(visit: Visit, slug: string, { before, after, related }: Around): View {
  const { words } = visit;
  return html`${when(visit.site.theme.sections.includes('newsletter'), () => subscribeField(words, `post: ${slug}`.slice(0, 200)))}
${when(
  before || after,
  () => html`<nav class="neighbours" aria-label="${words.aroundPost}">
${neighbour(before, words.before, 'prev')}${neighbour(after, words.after, 'next')}</nav>`,
)}
${when(
  related.length > 0,
  () =>
    html`<section class="further"><h2>${words.keepReading}</h2><div class="rows">${each(related, (other) =>
      postRow(visit, { ...other, excerpt: '' }),
    )}</div></section>`,
)}`;
}

const byline = async (
  visit: Visit,
  layout: LayoutData,
): Promise<View> => html`<section class="byline" aria-label="${visit.words.author}">
${await portrait(visit, layout, 'byline')}<div><p class="author"><a href="${sitePaths.home}" rel="author">${layout.creator}</a></p>
${when(layout.profile.headline, () => html`<p class="meta">${layout.profile.headline}</p>`)}</div></section>`;

const neighbour = (post: Beside, label: string, rel: 'prev' | 'next'): View =>
  post
    ? html`<a class="${rel}" rel="${rel}" href="/posts/${post.slug}"><span class="meta">${label}</span><span class="title">${post.title}</span></a>`
    : nothing;
