import { html } from 'hono/html';
import { datesAt } from './dates.ts';
import { searchForm } from './forms.ts';
import { htmlPage } from './layout.ts';
import { each, when } from './parts.ts';
import { listedFields, postRow } from './records.ts';

/** Where an address leads nowhere: a search, and what is new. */
export const notFound = htmlPage({
  uses: ['posts'],
  async view(visit) {
    const { data } = await visit.read('v1.posts.list', { limit: 4, fields: [...listedFields] });
    const dates = datesAt(visit);
    const hasPosts = data.length > 0;
    return {
      title: 'Not found',
      path: '/404',
      kind: 'message',
      hidden: true,
      main: html`<div class="opening"><p class="eyebrow">404</p><h1>There is nothing at this address.</h1>
<p class="lead">It may have moved, or the link has a typo.${when(hasPosts, () => html` A search often helps.`)}</p>
${when(hasPosts, () => searchForm())}</div>
${when(
  hasPosts,
  () =>
    html`<section class="band"><h2>Recent</h2><div class="rows">${each(data, (post) => postRow({ ...post, excerpt: '' }, { dates }))}</div></section>`,
)}`,
    };
  },
});
