import { html } from 'hono/html';
import type { GateReason } from '../../../shared/contract/resources/access-tier.ts';
import { breadcrumbs, course as courseData } from '../feeds/json-ld.ts';
import type { Page, Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { bodyHtml } from './body.ts';
import { recordMeta, requestedRecord } from './card.ts';
import { type FormValues, formProblem, unfilled } from './forms.ts';
import { pageCover } from './images.ts';
import { htmlPage, type PageContent, type PageRenderer } from './layout.ts';
import type { LayoutData } from './layout-data.ts';
import { courseOutline, courseProgress, type LearnedCourse } from './learning.ts';
import { offerCollections, offersThatOpen, recordOfferIn, type ShownOffer } from './offers.ts';
import { recordList, requestedPage } from './pager.ts';
import { band, each, paragraphs, type View } from './parts.ts';
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

/** Page of a course with its outline and the visitor's progress; never a lesson's body. */
export const courseWith =
  (filled: FormValues): PageRenderer =>
  async (visit, layout) => {
    const { record, gate_reason } = await visit.read('visitors.course', requestedRecord(visit));
    const { slug, id } = record;
    const { course: learned } = await visit.read('visitors.learning.course', { slug });
    const curriculum = await visit.read('v2.courses.curriculum', { id });
    const reason = learned ? learned.gate_reason : gate_reason;
    const offers = await offersThatOpen(visit, 'courses', id, reason);
    return courseContent(visit, layout, { record, curriculum, reason, offers, learned, filled });
  };

/** `/courses/{slug}` */
export const course: Page<string> = {
  ...htmlPage({
    uses: ['courses', 'modules', 'lessons', 'media', ...offerCollections],
    view: courseWith(unfilled),
  }),
  isPersonal: true,
};

export async function courseContent(
  visit: Visit,
  layout: LayoutData,
  {
    record: found,
    curriculum,
    reason,
    offers = [],
    learned = null,
    filled = unfilled,
  }: {
    record: OutputOf<'visitors.course'>['record'];
    curriculum: Curriculum;
    reason: GateReason | null;
    /** Offers that open the course; missing in a preview. */
    offers?: readonly ShownOffer[];
    /** Lessons as the visitor takes them; null if they are not published. */
    learned?: LearnedCourse | null;
    filled?: FormValues;
  },
): Promise<PageContent> {
  const { strings } = visit;
  const about = found.description && (await bodyHtml(visit, found.description, { below: 2 }));
  return {
    ...recordMeta('courses', found),
    kind: 'course',
    description: await visit.texts.excerpt(found.description, 160),
    data: [await courseData(visit, layout, found, offers), breadcrumbs(visit, 'courses', found)],
    main: html`<div class="opening${found.cover ? ' pictured' : ''}"><div><p class="eyebrow">${strings.course}</p><h1>${found.title}</h1>
<p class="meta facts-line">${courseFacts(visit, found, recordOfferIn(offers))}</p></div>
${pageCover(found)}</div>
${courseDoor(visit, reason, offers)}
${learned ? courseProgress(visit, found, learned, filled) : formProblem(strings, filled, true)}
${band(strings.about, about && html`<div class="prose">${about}</div>`)}
${band(strings.outcomes, found.learning_outcomes.length > 0 && outcomes(found.learning_outcomes))}
${band(strings.outline, curriculum.modules.length > 0 && courseOutline(visit, found, curriculum, learned))}
${band(strings.taughtBy, found.instructor_name && html`<h3>${found.instructor_name}</h3><div class="soft">${paragraphs(found.instructor_bio)}</div>`)}`,
  };
}

const outcomes = (items: readonly string[]): View =>
  html`<ul class="checks" role="list">${each(items, (item) => html`<li>${item}</li>`)}</ul>`;
