import { html } from 'hono/html';
import { listsOnPages } from '../../../../shared/contract/limits.ts';
import { sitePaths } from '../../../../shared/contract/resources/site-paths.ts';
import { talkEvent } from '../feeds/json-ld.ts';
import { datesAt } from './dates.ts';
import { htmlPage } from './layout.ts';
import { lastPageOf, pageOf, pager, pageTitle, withPage } from './pager.ts';
import { each } from './parts.ts';
import { talkRow } from './records.ts';
import { summariesOf } from './summaries.ts';

/** `/talks` */
export const talks = htmlPage({
  uses: ['talks', 'media'],
  query: ['page'],
  async view(visit, layout) {
    const { words } = visit;
    const page = pageOf(visit);
    const list = await visit.read('visitors.talks', { page, per_page: listsOnPages.records });
    const { items } = list;
    const dates = datesAt(visit);
    const summaryOf = await summariesOf(visit, list, 2);
    return {
      title: pageTitle(words, words.talks, page),
      path: withPage(sitePaths.talks, page),
      kind: 'talks',
      description: words.talksAbout,
      data: await Promise.all(items.filter(({ date }) => date).map((talk) => talkEvent(visit, layout, talk))),
      main: html`<div class="opening"><h1>${words.talks}</h1></div>
${list.total === 0 ? html`<p class="lead">${words.nothingYet}</p>` : html`<div class="rows">${each(items, (talk) => talkRow(talk, { words, dates, level: 2, about: summaryOf(talk) }))}</div>`}${pager(visit, [page, lastPageOf(list)], { path: sitePaths.talks })}`,
    };
  },
});
