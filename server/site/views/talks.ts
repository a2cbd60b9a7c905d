import { html } from 'hono/html';
import { talkEvent } from '../feeds/json-ld.ts';
import { summariesOf } from './body.ts';
import { htmlPage } from './layout.ts';
import { recordList, requestedPage } from './pager.ts';
import { each } from './parts.ts';
import { talkRow } from './records.ts';

/** `/talks` */
export const talks = htmlPage({
  uses: ['talks', 'media'],
  query: ['page'],
  async view(visit, layout) {
    const list = await visit.read('visitors.talks', requestedPage(visit));
    const { items } = list;
    const summaryOf = await summariesOf(visit, list, 2);
    const rows = html`<div class="rows">${each(items, (talk) => talkRow(visit, talk, 2, summaryOf(talk)))}</div>`;
    return {
      ...recordList(visit, 'talks', list, rows),
      data: await Promise.all(items.filter(({ date }) => date).map((talk) => talkEvent(visit, layout, talk))),
    };
  },
});
