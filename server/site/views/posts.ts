import { html } from 'hono/html';
import { minutesToRead } from '../../../shared/contract/features/minutes-to-read.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { ApiError } from '../../api/api-error.ts';
import { blogPosting, breadcrumbs } from '../feeds/json-ld.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { articleBody, directed } from './body.ts';
import { recordMeta, requestedRecord } from './card.ts';
import { datesAt } from './dates.ts';
import { searchForm, subscribeField } from './forms.ts';
import { pageCover, portrait } from './images.ts';
import { htmlPage, type PageContent } from './layout.ts';
import type { LayoutData } from './layout-data.ts';
import { offerCollections, offersThatOpen, type ShownOffer } from './offers.ts';
import { lastPageOf, pageOf, pager, pageTitle, withPage } from './pager.ts';
import {
  each,
  inOneDirection,
  lines,
  middot,
  nothing,
  tagFeedPath,
  tagList,
  tagPath,
  type View,
  when,
} from './parts.ts';
import { paywall } from './paywall.ts';
import { datedPost, postFields, postRow } from './records.ts';

type Post = Omit<OutputOf<'v1.posts.get'>, 'visibility' | 'featured'>;

const perPage = 20;

const labelsOf = ({ newer, older }: SiteStrings) => [newer, older] as const;

/** `/posts`: one page of the posts, or the posts that contain the words of `q`. */
export const posts = htmlPage({
  uses: ['posts'],
  query: ['page', 'q'],
  async view(visit) {
    const { strings, query } = visit;
    const { q } = query;
    const list = await listed(visit, q === undefined ? {} : { q });
    const title = q === undefined ? strings.posts : strings.quoted(q);
    return {
      title: pageTitle(strings, q === undefined ? strings.posts : strings.searchFor(q), list.page),
      path: withPage(sitePaths.posts, list.page),
      kind: 'posts',
      description: strings.postsAbout,
      hidden: q !== undefined,
      main: html`<div class="opening"><h1>${title}</h1>
${when(q !== undefined, () => html`<p class="lead">${inOneDirection(datesAt(visit).count(strings.postCount, list.total))}</p>`)}
${when(q !== undefined || list.total > 0, () => searchForm(strings, q))}</div>
${rowsOf(visit, list, q === undefined ? undefined : strings.nothingFound)}${pager(visit, [list.page, list.last], { path: sitePaths.posts, q, strings: labelsOf(strings) })}`,
    };
  },
});

/** `/tags/{tag}` */
export const tag = htmlPage({
  uses: ['posts'],
  query: ['page'],
  async view(visit) {
    const { strings, params } = visit;
    const { tag: name = '' } = params;
    const list = await listed(visit, { tag: name });
    if (list.total === 0) throw new ApiError('not_found');
    return {
      title: pageTitle(strings, `#${name}`, list.page),
      path: withPage(tagPath(name), list.page),
      kind: 'posts',
      description: strings.postsOn(name),
      feed: tagFeedPath(name),
      main: html`<div class="opening"><p class="eyebrow">${strings.topic}</p><h1>${name}</h1><p class="lead">${inOneDirection(datesAt(visit).count(strings.postCount, list.total))}</p>
<p class="links"><a href="${tagFeedPath(name)}">${strings.topicFeed}</a></p></div>
${rowsOf(visit, list)}${pager(visit, [list.page, list.last], { path: tagPath(name), strings: labelsOf(strings) })}`,
    };
  },
});

async function listed(visit: Visit, filter: { q?: string; tag?: string }) {
  const list = await visit.read('v2.posts.list', {
    page: pageOf(visit),
    per_page: perPage,
    sort: '-published_at',
    fields: [...postFields],
    include: ['cover'],
    ...filter,
  });
  return { ...list, last: lastPageOf(list) };
}

const rowsOf = (
  visit: Visit,
  { items }: OutputOf<'v2.posts.list'>,
  none = visit.strings.nothingYet,
): View => {
  if (items.length === 0) return html`<p class="lead">${none}</p>`;
  return html`<div class="rows">${each(items, (post) => datedPost(visit, post))}</div>`;
};

/** `/posts/{slug}` */
export const post = htmlPage({
  uses: ['posts', 'media', ...offerCollections],
  async view(visit, layout) {
    const found = await visit.read('v1.posts.get', requestedRecord(visit));
    const around = await visit.read('visitors.postsAround', { id: found.id });
    const offers = await offersThatOpen(visit, 'posts', found.id, found.gate_reason);
    return postContent(visit, layout, found, around, offers);
  },
});

/** Page of a post with the posts around it, and with the offers that open it. A preview has neither. */
export async function postContent(
  visit: Visit,
  layout: LayoutData,
  found: Post,
  around: Around | null,
  offers: readonly ShownOffer[] = [],
): Promise<PageContent> {
  const body = await bodyOf(visit, layout, found, offers);
  return {
    ...recordMeta('posts', found),
    kind: 'article',
    description: found.excerpt || (await visit.texts.excerpt(found.content ?? '', 160)),
    article: { published: found.published_at, updated: found.updated, tags: found.tags },
    data: [blogPosting(visit, layout, found, offers), breadcrumbs(visit, 'posts', found)],
    main: html`<article>
<header class="opening"><p class="meta">${datesAt(visit).view(found.published_at)}${readingTime(visit, found)}</p>
<h1${directed(visit, found.title)}>${found.title}</h1>
${when(found.excerpt, () => html`<p class="lead"${directed(visit, found.excerpt)}>${lines(found.excerpt)}</p>`)}</header>
${pageCover(found)}
${body}
${await postEnd(visit, layout, found, around)}
</article>`,
  };
}

const bodyOf = async (
  visit: Visit,
  { profile }: LayoutData,
  found: Post,
  offers: readonly ShownOffer[],
): Promise<View> =>
  found.gate_reason
    ? html`<div class="body">${paywall(visit, found.gate_reason, profile.email, offers)}</div>`
    : articleBody(visit, found.content ?? '');

const readingTime = (visit: Visit, { content, published_at }: Post): View =>
  when(
    content,
    () =>
      html`${published_at ? middot : ''}${inOneDirection(datesAt(visit).count(visit.strings.minutes, minutesToRead(content ?? '')))}`,
  );

type Around = OutputOf<'visitors.postsAround'>;
type NeighborPost = Around['before'];

/**
 * Renders the end of a post: topics, author and further posts. A preview has no further posts and no form. Browsers
 * send no `Referer` from a preview, so a form would arrive with `Origin: null` and be refused.
 */
const postEnd = async (
  visit: Visit,
  layout: LayoutData,
  found: Post,
  around: Around | null,
): Promise<View> => html`<footer class="after">${tagList(found.tags)}
${await byline(visit, layout)}
${around ? onwards(visit, found.slug, around) : nothing}</footer>`;

function onwards(visit: Visit, slug: string, { before, after, related }: Around): View {
  const { strings } = visit;
  return html`${when(visit.site.theme.sections.includes('newsletter'), () => subscribeField(strings, `post: ${slug}`.slice(0, 200)))}
${when(
  before || after,
  () => html`<nav class="neighbours" aria-label="${strings.aroundPost}">
${neighbour(before, strings.before, 'prev')}${neighbour(after, strings.after, 'next')}</nav>`,
)}
${when(
  related.length > 0,
  () =>
    html`<section class="further"><h2>${strings.keepReading}</h2><div class="rows">${each(related, (other) =>
      postRow(visit, { ...other, excerpt: '' }),
    )}</div></section>`,
)}`;
}

const byline = async (
  visit: Visit,
  layout: LayoutData,
): Promise<View> => html`<section class="byline" aria-label="${visit.strings.author}">
${await portrait(visit, layout, 'byline')}<div><p class="author"><a href="${sitePaths.home}" rel="author">${layout.creator}</a></p>
${when(layout.profile.headline, () => html`<p class="meta">${layout.profile.headline}</p>`)}</div></section>`;

const neighbour = (post: NeighborPost, label: string, rel: 'prev' | 'next'): View =>
  post
    ? html`<a class="${rel}" rel="${rel}" href="/posts/${post.slug}"><span class="meta">${label}</span><span class="title">${post.title}</span></a>`
    : nothing;
