import { html } from 'hono/html';
import type { GateReason } from '../../../shared/contract/resources/access-tier.ts';
import { breadcrumbs, course as courseData } from '../feeds/json-ld.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { bodyHtml } from './body.ts';
import { recordMeta, requestedRecord } from './card.ts';
import { pageCover } from './images.ts';
import { htmlPage, type PageContent } from './layout.ts';
import type { LayoutData } from './layout-data.ts';
import { offerCollections, offersThatOpen, recordOfferIn, type ShownOffer } from './offers.ts';
import { recordList, requestedPage } from './pager.ts';
import { band, each, paragraphs, type View, when } from './parts.ts';
import { courseDoor } from './paywall.ts';
import { courseFacts, courseRows } from './records.ts';

type Curriculum = OutputOf<'v2.courses.curriculum'>;

/** `/courses` */
export const courses = htmlPage({
  uses: ['courses', ...offerCollections],
  query: ['page'],
  async view(visit) {
    const list = await visit.read('visitors.courses', requestedPage(visit));
    return recordList(visit, 'courses', list, await courseRows(visit, list.items, 2));
  },
});

/** `/courses/{slug}`: what it is, and its outline; never a lesson's body. */
export const course = htmlPage({
  uses: ['courses', 'modules', 'lessons', 'media', ...offerCollections],
  async view(visit, layout) {
    const { record, gate_reason } = await visit.read('visitors.course', requestedRecord(visit));
    const curriculum = await visit.read('v2.courses.curriculum', { id: record.id });
    const offers = await offersThatOpen(visit, 'courses', record.id, gate_reason);
    return courseContent(visit, layout, { record, curriculum, reason: gate_reason, offers });
  },
});

export async function courseContent(
  visit: Visit,
  layout: LayoutData,
  {
    record: found,
    curriculum,
    reason,
    offers = [],
  }: {
    record: OutputOf<'visitors.course'>['record'];
    curriculum: Curriculum;
    reason: GateReason | null;
    /** Offers that open it; a preview has none. */
    offers?: readonly ShownOffer[];
  },
): Promise<PageContent> {
  const { words } = visit;
  const about = found.description && (await bodyHtml(visit, found.description, { below: 2 }));
  return {
    ...recordMeta('courses', found),
    kind: 'course',
    description: await visit.texts.excerpt(found.description, 160),
    data: [await courseData(visit, layout, found, offers), breadcrumbs(visit, 'courses', found)],
    main: html`<div class="opening${found.cover ? ' pictured' : ''}"><div><p class="eyebrow">${words.course}</p><h1>${found.title}</h1>
<p class="meta facts-line">${courseFacts(visit, found, recordOfferIn(offers))}</p></div>
${pageCover(found)}</div>
${courseDoor(visit, reason, offers)}
${band(words.about, about && html`<div class="prose">${about}</div>`)}
${band(words.outcomes, found.learning_outcomes.length > 0 && outcomes(found.learning_outcomes))}
${band(words.outline, curriculum.modules.length > 0 && outline(curriculum))}
${band(words.taughtBy, found.instructor_name && html`<h3>${found.instructor_name}</h3><div class="soft">${paragraphs(found.instructor_bio)}</div>`)}`,
  };
}

const outcomes = (items: readonly string[]): View =>
  html`<ul class="checks" role="list">${each(items, (item) => html`<li>${item}</li>`)}</ul>`;

const outline = ({ modules }: Curriculum): View =>
  html`<ol class="outline">${each(
    modules,
    (module) =>
      html`<li><h3>${module.title}</h3>${when(
        module.lessons.length > 0,
        () => html`<ol>${each(module.lessons, (lesson) => html`<li>${lesson.title}</li>`)}</ol>`,
      )}</li>`,
  )}</ol>`;
