import { html } from 'hono/html';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import { talkEvent } from '../machines/json-ld.ts';
import { aboutsOf } from './abouts.ts';
import { datesAt } from './dates.ts';
import { htmlPage } from './layout.ts';
import { inOwnOrder } from './own-order.ts';
import { each, when } from './parts.ts';
import { talkRow } from './records.ts';

/** `/talks` */
export const talks = htmlPage({
  uses: ['talks', 'media'],
  async view(visit, frame) {
    const data = inOwnOrder((await visit.read('v1.talks.list', { include: ['cover'] })).data);
    const dates = datesAt(visit);
    const aboutOf = await aboutsOf(visit, data, 2);
    return {
      title: 'Talks',
      path: sitePaths.talks,
      kind: 'talks',
      description: 'Talks, with slides and recordings.',
      data: await Promise.all(data.filter(({ date }) => date).map((talk) => talkEvent(visit, frame, talk))),
      main: html`<div class="opening"><h1>Talks</h1></div>
<div class="rows">${each(data, (talk) => talkRow(talk, { dates, level: 2, about: aboutOf(talk) }))}</div>
${when(data.length === 0, () => html`<p class="lead">Nothing here yet.</p>`)}`,
    };
  },
});
