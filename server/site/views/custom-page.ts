import { html } from 'hono/html';
import { webPage } from '../feeds/json-ld.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { articleBody, directed } from './body.ts';
import { recordMeta } from './card.ts';
import { pageCover } from './images.ts';
import { htmlPage, type PageContent } from './layout.ts';
import type { LayoutData } from './layout-data.ts';

/** `/{slug}`: custom page of the owner. */
export const customPage = htmlPage({
  uses: ['pages', 'media'],
  async view(visit, layout) {
    const { read, params } = visit;
    return customPageContent(visit, layout, await read('visitors.pages.get', { slug: params.slug ?? '' }));
  },
});

export async function customPageContent(
  visit: Visit,
  layout: LayoutData,
  page: OutputOf<'visitors.pages.get'>,
): Promise<PageContent> {
  return {
    ...recordMeta('pages', page),
    kind: 'article',
    description: await visit.texts.excerpt(page.content, 160),
    data: [await webPage(visit, layout, page)],
    hidden: page.visibility !== 'public',
    main: html`<article><header class="opening"><h1${directed(visit, page.title)}>${page.title}</h1></header>
${pageCover(page)}
${await articleBody(visit, page.content)}</article>`,
  };
}
