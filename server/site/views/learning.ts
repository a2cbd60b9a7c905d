import { html } from 'hono/html';
import { maxCertificateName } from '../../../shared/contract/features/learning.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { directed } from './body.ts';
import { datesAt } from './dates.ts';
import { type FormValues, field, formProblem } from './forms.ts';
import type { PageContent } from './layout.ts';
import type { LayoutData } from './layout-data.ts';
import { coursePath, lessonPath, progressBar } from './lesson.ts';
import { each, inOneDirection, joined, lockIcon, middot, nothing, type View, when } from './parts.ts';
import { signInPath } from './sign-in.ts';

type Curriculum = OutputOf<'v2.courses.curriculum'>;
export type LearnedCourse = NonNullable<OutputOf<'visitors.learning.course'>['course']>;
type OutlinedLesson = LearnedCourse['lessons'][number];

export const certificatePath = (id: string) => sitePaths.certificate.replace(':certificate', id);

const button = (path: string, label: string): View =>
  html`<p class="links"><a class="button" href="${path}">${label}</a></p>`;

/**
 * Start button, or the progress and certificate of a learner, after the problem of a refused form. Without a problem, it is empty for
 * visitors who are not enrolled and may not read the course.
 */
export function courseProgress(
  visit: Visit,
  { slug }: { slug: string },
  learned: LearnedCourse,
  filled: FormValues,
): View {
  const { strings } = visit;
  const { gate_reason, is_enrolled, lessons, done, of, completed_at } = learned;
  const next = lessons.find(({ is_done }) => !is_done);
  const last = lessons.at(-1);
  const isNew = lessons.filter(({ is_new }) => is_new).length;
  const mayRead = gate_reason === null && of > 0;
  const problem = formProblem(strings, filled, true);
  if (!is_enrolled)
    return html`${problem}${when(
      mayRead,
      () =>
        html`<form class="progress" method="post" action="${coursePath(slug)}/begin"><p class="links"><button type="submit">${strings.startCourse}</button></p>
${when(needsAccount(learned), () => html`<p class="meta">${strings.orderNeedsAccount} <a href="${signInPath(coursePath(slug))}">${strings.signIn}</a></p>`)}</form>`,
    )}`;
  const certificate = when(completed_at, () => certificateLink(visit, slug, learned, filled));
  const onwards =
    next || completed_at
      ? when(next, () => button(lessonPath(slug, next?.id ?? ''), strings.continueCourse))
      : html`<form method="post" action="${lessonPath(slug, last?.id ?? '')}"><p class="links"><button type="submit" name="action" value="done">${strings.finishCourse}</button></p></form>`;
  return html`<div class="progress">${problem}${when(of > 0, () => progressBar(strings.lessonsDone(done, of), done, of))}
${when(completed_at, () => html`<p class="meta">${completed_at && strings.completedOn(datesAt(visit).day(completed_at))}</p>`)}
${when(isNew > 0, () => html`<p class="note">${inOneDirection(datesAt(visit).count(strings.newLessons, isNew))}</p>`)}
${when(mayRead, () => onwards)}
${certificate}</div>`;
}

/** True if a visitor may read the lessons, but has to sign in to open those that wait for others. */
const needsAccount = ({ gate_reason, is_signed_in, lessons }: LearnedCourse) =>
  gate_reason === null && !is_signed_in && lessons.some(({ is_open }) => !is_open);

function certificateLink(
  { strings }: Visit,
  slug: string,
  { certificate_id }: LearnedCourse,
  filled: FormValues,
): View {
  if (certificate_id)
    return html`<p class="links"><a class="button second" href="${certificatePath(certificate_id)}">${strings.certificate}</a></p>`;
  return html`<form method="post" action="${coursePath(slug)}/certificate">
${field({ ...filled, strings, name: 'name', label: strings.nameOnCertificate, hint: strings.nameOnce, autocomplete: 'name', required: true, maxlength: maxCertificateName, focused: true })}
<p><button type="submit">${strings.getCertificate}</button></p></form>`;
}

/** Modules and lessons, with links to those that the visitor can open. Without `learned`, with titles only. */
export function courseOutline(
  { strings }: Visit,
  { slug }: { slug: string },
  { modules }: Curriculum,
  learned: LearnedCourse | null,
): View {
  const known = new Map(learned?.lessons.map((lesson) => [lesson.id, lesson]));
  const shown = ({ id, title }: { id: string; title: string }) => {
    const lesson = known.get(id);
    if (!lesson || !learned) return html`<li>${title}</li>`;
    const name = lesson.is_open ? html`<a href="${lessonPath(slug, id)}">${title}</a>` : html`${title}`;
    return html`<li class="${lesson.is_done ? 'done' : 'open'}">${name}${lessonMark(strings, lesson, learned)}</li>`;
  };
  return html`<ol class="outline">${each(
    modules,
    (module) =>
      html`<li><h3>${module.title}</h3>${when(
        module.lessons.length > 0,
        () => html`<ol>${each(module.lessons, shown)}</ol>`,
      )}</li>`,
  )}</ol>`;
}

function lessonMark(
  strings: SiteStrings,
  { is_done, is_open, is_preview }: OutlinedLesson,
  { gate_reason }: LearnedCourse,
): View {
  if (is_done) return html`<span class="heard">, ${strings.lessonDone}</span>`;
  if (is_preview && gate_reason !== null) return html` <span class="meta">${strings.freePreview}</span>`;
  if (is_open) return nothing;
  return gate_reason === null
    ? html` <span class="meta">${lockIcon({ ...strings, restricted: strings.lessonLocked })}</span>`
    : html` <span class="meta">${lockIcon(strings)}</span>`;
}

/** Renders the courses of the member as a term of the list on `/account`; empty if there are none. */
export const coursesFacts = (visit: Visit, { data }: OutputOf<'visitors.learning.courses'>): View =>
  when(
    data.length > 0,
    () =>
      html`<dt>${visit.strings.yourCourses}</dt><dd><ul class="holdings" role="list">${each(data, (one) => courseItem(visit, one))}</ul></dd>`,
  );

function courseItem(
  visit: Visit,
  {
    title,
    slug,
    done,
    of,
    completed_at,
    certificate_id,
  }: OutputOf<'visitors.learning.courses'>['data'][number],
): View {
  const { strings } = visit;
  const state = completed_at
    ? strings.completedOn(datesAt(visit).day(completed_at))
    : strings.lessonsDone(done, of);
  return html`<li>${slug ? html`<a href="${coursePath(slug)}">${title}</a>` : title}<p class="meta">${inOneDirection(joined([state]))}${when(
    certificate_id,
    () => html`${middot}<a href="${certificatePath(certificate_id ?? '')}">${strings.certificate}</a>`,
  )}</p></li>`;
}

/** `/certificates/{id}`: fits one printed page. */
export function certificateContent(
  visit: Visit,
  { creator }: LayoutData,
  { name, title, completed_at }: OutputOf<'visitors.learning.certificate'>,
): PageContent {
  const { strings } = visit;
  return {
    title: joined([strings.certificateTitle, name]),
    path: sitePaths.home,
    kind: 'certificate',
    hidden: true,
    main: html`<div class="certificate"><p class="eyebrow">${strings.certificateTitle}</p>
<h1${directed(visit, name)}>${name}</h1>
<p class="title"${directed(visit, title)}>${title}</p>
<p class="meta">${strings.completedOn(datesAt(visit).day(completed_at))}</p>
<p class="meta">${strings.issuedBy} ${creator}</p></div>`,
  };
}
