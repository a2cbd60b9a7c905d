import { html } from 'hono/html';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import { talkEvent } from '../machines/json-ld.ts';
import type { Visit } from '../page.ts';
import { bodyHtml } from './body.ts';
import { datesAt } from './dates.ts';
import { htmlPage } from './layout.ts';
import { inOwnOrder } from './own-order.ts';
import { each, type View, when } from './parts.ts';
import { talkRow } from './records.ts';

/** `/talks` */
export const talks = htmlPage({
  uses: ['talks', 'media'],
  async view(visit, frame) {
    const data = inOwnOrder((await visit.read('v1.talks.list')).data);
    const dates = datesAt(visit);
    return {
      title: 'Talks',
      path: sitePaths.talks,
      kind: 'talks',
      description: 'Talks, with slides and recordings.',
      data: data.filter(({ date }) => date).map((talk) => talkEvent(visit, frame, talk)),
      main: html`<div class="opening"><h1>Talks</h1></div>
<div class="rows">${each(data, (talk) =>
        talkRow(talk, { dates, level: 2, about: aboutOf(visit, talk) }),
      )}</div>
${when(data.length === 0, () => html`<p class="lead">Nothing here yet.</p>`)}`,
    };
  },
});

/** All that was written about a talk: it has no page of its own. */
const aboutOf = (visit: Visit, { id, description }: { id: string; description: string }): View =>
  when(
    description,
    () => html`<div class="about prose">${bodyHtml(visit, description, { below: 2, name: id })}</div>`,
  );
