import { html } from 'hono/html';
import { articleBody } from './body.ts';
import { cardPath } from './card.ts';
import { pageCover } from './cover.ts';
import { htmlPage } from './layout.ts';

/** `/{slug}`: a page that the owner wrote. */
export const customPage = htmlPage({
  uses: ['pages', 'media'],
  async view(visit) {
    const { read, params } = visit;
    const page = await read('visitors.pages.get', { slug: params.slug ?? '' });
    return {
      title: page.title,
      path: `/${page.slug}`,
      kind: 'article',
      description: await visit.texts.excerpt(page.content, 160),
      shared: page,
      card: cardPath('pages', page.slug),
      hidden: page.visibility !== 'public',
      main: html`<article><header class="opening"><h1>${page.title}</h1></header>
${pageCover(page)}
${await articleBody(visit, page.content)}</article>`,
    };
  },
});
