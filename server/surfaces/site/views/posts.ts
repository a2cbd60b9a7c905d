import { html } from 'hono/html';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import { ApiError } from '../../../kernel/api-error.ts';
import { blogPosting, breadcrumbs } from '../machines/json-ld.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { bodyHtml } from './body.ts';
import { pageCover } from './cover.ts';
import { datesAt } from './dates.ts';
import { door } from './door.ts';
import { searchForm } from './forms.ts';
import { htmlPage } from './layout.ts';
import { minutesToRead } from './minutes-to-read.ts';
import { countOf, each, inOneDirection, lines, middot, tagList, tagPath, type View, when } from './parts.ts';
import { datedPost, listedFields, postRow } from './records.ts';

type Post = OutputOf<'v1.posts.get'>;

const perPage = 20;

/** `/posts`, by page, or those that hold the words of `q`. */
export const posts = htmlPage({
  uses: ['posts'],
  query: ['page', 'q'],
  async view(visit) {
    const { q } = visit.query;
    const list = await listed(visit, q === undefined ? {} : { q });
    const title = q === undefined ? 'Writing' : `“${q}”`;
    return {
      title: pageTitle(q === undefined ? 'Writing' : `Search: ${q}`, list.page),
      path: withPage(sitePaths.posts, list.page),
      kind: 'posts',
      description: `All posts, newest first.`,
      hidden: q !== undefined,
      main: html`<div class="opening"><h1>${title}</h1>
${when(q !== undefined, () => html`<p class="lead">${inOneDirection(countOf(list.total, 'post'))}</p>`)}
${when(q !== undefined || list.total > 0, () => searchForm(q))}</div>
${rowsOf(visit, list, q === undefined ? undefined : 'Nothing found.')}${pager(list, sitePaths.posts, q)}`,
    };
  },
});

/** `/tags/{tag}` */
export const tag = htmlPage({
  uses: ['posts'],
  query: ['page'],
  async view(visit) {
    const { tag: name = '' } = visit.params;
    const list = await listed(visit, { tag: name });
    if (list.total === 0) throw new ApiError('not_found');
    return {
      title: pageTitle(`#${name}`, list.page),
      path: withPage(tagPath(name), list.page),
      kind: 'posts',
      description: `Posts about ${name}.`,
      main: html`<div class="opening"><p class="eyebrow">Topic</p><h1>${name}</h1><p class="lead">${inOneDirection(countOf(list.total, 'post'))}</p></div>
${rowsOf(visit, list)}${pager(list, tagPath(name))}`,
    };
  },
});

async function listed({ read, query }: Visit, filter: { q?: string; tag?: string }) {
  const page = /^[1-9]\d{0,5}$/.test(query.page ?? '') ? Number(query.page) : 1;
  const list = await read('v2.posts.list', {
    page,
    per_page: perPage,
    sort: '-published_at',
    fields: [...listedFields],
    include: ['cover'],
    ...filter,
  });
  if (page > 1 && list.items.length === 0) throw new ApiError('not_found');
  return list;
}

type List = OutputOf<'v2.posts.list'>;

const rowsOf = (visit: Visit, { items }: List, none = 'Nothing here yet.'): View => {
  const dates = datesAt(visit);
  return html`<div class="rows">${each(items, (post) => datedPost(post, dates))}${when(
    items.length === 0,
    () => html`<p class="lead">${none}</p>`,
  )}</div>`;
};

const pageTitle = (title: string, page: number) => (page > 1 ? `${title}, page ${page}` : title);

const withPage = (path: string, page: number) => (page > 1 ? `${path}?page=${page}` : path);

function pager({ page, per_page, total }: List, path: string, q?: string): View {
  const last = Math.ceil(total / per_page);
  const to = (target: number) => {
    const query = new URLSearchParams([...(q ? [['q', q]] : []), ['page', `${target}`]]);
    return target === 1 && !q ? path : `${path}?${query}`;
  };
  return when(
    last > 1,
    () => html`<nav class="pager" aria-label="Pages">
${page > 1 ? html`<a href="${to(page - 1)}" rel="prev"><span class="arrow" aria-hidden="true">←</span> Newer</a>` : html`<span></span>`}
<span>Page ${page} of ${last}</span>
${page < last ? html`<a href="${to(page + 1)}" rel="next">Older <span class="arrow" aria-hidden="true">→</span></a>` : html`<span></span>`}
</nav>`,
  );
}

/** `/posts/{slug}` */
export const post = htmlPage({
  uses: ['posts', 'media'],
  async view(visit, frame) {
    const found = await visit.read('v1.posts.get', {
      slug: visit.params.slug ?? '',
      include: ['cover', 'meta'],
    });
    const dates = datesAt(visit);
    const path = `/posts/${found.slug}`;
    const trail = [
      { name: 'Writing', path: sitePaths.posts },
      { name: found.title, path },
    ];
    const body = await bodyOf(visit, found);
    return {
      title: found.title,
      path,
      kind: 'article',
      description: found.excerpt || (await visit.texts.opening(found.content ?? '', 160)),
      shared: found,
      article: { published: found.published_at, updated: found.updated, tags: found.tags },
      data: [blogPosting(visit, frame, found), breadcrumbs(visit, trail)],
      main: html`<article>
<header class="opening"><p class="meta">${dates.view(found.published_at)}${readingTime(found)}</p>
<h1>${found.title}</h1>
${when(found.excerpt, () => html`<p class="lead">${lines(found.excerpt)}</p>`)}</header>
${pageCover(found)}
${body}
<footer class="after">${tagList(found.tags)}${await further(visit, found)}</footer>
</article>`,
    };
  },
});

const bodyOf = async (visit: Visit, found: Post): Promise<View> =>
  found.gate_reason
    ? html`<div class="body">${door(visit, found.gate_reason)}</div>`
    : html`<div class="body prose">${await bodyHtml(visit, found.content ?? '')}</div>`;

const readingTime = ({ content }: Post): View =>
  when(content, () => html`${middot}${inOneDirection(`${minutesToRead(content ?? '')} min read`)}`);

async function further(visit: Visit, found: Post): Promise<View> {
  const { items } = await visit.read('v2.posts.list', {
    per_page: 4,
    sort: '-published_at',
    fields: [...listedFields],
  });
  const dates = datesAt(visit);
  const others = items.filter(({ slug }) => slug !== found.slug).slice(0, 3);
  return when(
    others.length > 0,
    () =>
      html`<section class="further"><h2>Keep reading</h2><div class="rows">${each(others, (other) =>
        postRow({ ...other, excerpt: '' }, { dates }),
      )}</div></section>`,
  );
}
