import { html } from 'hono/html';
import { bodyHtml } from './body.ts';
import { pageCover } from './cover.ts';
import { htmlPage } from './layout.ts';

/** `/{slug}`: a page that the owner wrote. */
export const customPage = htmlPage({
  uses: ['pages', 'media'],
  async view(visit) {
    const { read, params } = visit;
    const page = await read('visitors.pages.get', { slug: params.slug ?? '' });
    const body = await bodyHtml(visit, page.content);
    return {
      title: page.title,
      path: `/${page.slug}`,
      kind: 'article',
      description: await visit.texts.opening(page.content, 160),
      shared: page,
      hidden: page.visibility !== 'public',
      main: html`<article><header class="opening"><h1>${page.title}</h1></header>
${pageCover(page)}
<div class="body prose">${body}</div></article>`,
    };
  },
});
