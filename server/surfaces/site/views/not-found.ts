import { html } from 'hono/html';
import { searchForm } from './forms.ts';
import { htmlPage } from './layout.ts';
import { each, when } from './parts.ts';
import { listedFields, postRow } from './records.ts';

/** Where an address leads nowhere: a search, and what is new. */
export const notFound = htmlPage({
  uses: ['posts'],
  async view(visit) {
    const { data } = await visit.read('v1.posts.list', { limit: 4, fields: [...listedFields] });
    const { words } = visit;
    const hasPosts = data.length > 0;
    return {
      title: words.notFound,
      path: '/404',
      kind: 'message',
      hidden: true,
      main: html`<div class="opening"><p class="eyebrow">404</p><h1>${words.notFoundTitle}</h1>
<p class="lead">${hasPosts ? words.notFoundSearch : words.notFoundText}</p>
${when(hasPosts, () => searchForm(words))}</div>
${when(
  hasPosts,
  () =>
    html`<section class="band"><h2>${words.recent}</h2><div class="rows">${each(data, (post) => postRow(visit, { ...post, excerpt: '' }))}</div></section>`,
)}`,
    };
  },
});
