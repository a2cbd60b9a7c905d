import { html, raw } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { articleBody, directed } from './body.ts';
import { type FormValues, formProblem } from './forms.ts';
import type { PageContent } from './layout.ts';
import { layoutCollections } from './layout-data.ts';
import { lessonVideo, withSignedFiles } from './lesson-media.ts';
import { offerCollections, offersThatOpen } from './offers.ts';
import { inOneDirection, joined, type View, when } from './parts.ts';
import { courseDoor } from './paywall.ts';
import { signInPath } from './sign-in.ts';

type Shown = OutputOf<'visitors.lesson'>;
export type ShownLesson = Exclude<Shown, { state: 'locked' | 'moved' }>;
type OpenLesson = Extract<Shown, { state: 'open' }>;

/** Collections that the page of a lesson reads. The page depends on its learner and is never cached. */
export const lessonUses = [...layoutCollections, 'media', ...offerCollections];

export const coursePath = (slug: string) => sitePaths.course.replace(':slug', slug);

export const lessonPath = (slug: string, id: string) => `${coursePath(slug)}/lessons/${id}`;

/**
 * `/courses/{slug}/lessons/{id}`: the lesson for readers who may read it, otherwise its title and the offers that open it.
 * `refused` is the form of the lesson if it was refused.
 */
export async function lessonContent(
  visit: Visit,
  shown: ShownLesson,
  refused: Pick<FormValues, 'problems'>,
): Promise<PageContent> {
  const { strings } = visit;
  const { course, lesson, gate_reason } = shown;
  const path = lessonPath(course.slug, lesson.id);
  const offers = await offersThatOpen(visit, 'courses', course.id, gate_reason);
  const video = shown.state === 'open' ? lessonVideo(visit, shown) : null;
  return {
    title: joined([lesson.title, course.title]),
    path,
    kind: 'article',
    hidden: true,
    frame: video?.frame,
    main: html`<article class="lesson">
<header class="opening"><p class="meta"><a href="${coursePath(course.slug)}">${course.title}</a></p>
<h1${directed(visit, lesson.title)}>${lesson.title}</h1>
<p class="meta">${joined([shown.module, shown.state === 'open' && strings.lessonOf(shown.position, shown.of)])}</p></header>
${video?.view ?? ''}
${shown.state === 'open' ? await lessonBody(visit, shown) : ''}
${formProblem(strings, refused, true)}
${when(gate_reason === null, () => doneForm(visit, shown, path))}
${courseDoor(visit, gate_reason, offers, path)}
${when(shown.state === 'open', () => aroundLesson(visit, shown))}
</article>`,
  };
}

async function lessonBody(visit: Visit, { content, files }: OpenLesson): Promise<View> {
  const body = String(await articleBody(visit, content));
  return html`${raw(withSignedFiles(visit, body, files))}`;
}

function doneForm({ strings }: Visit, shown: ShownLesson, path: string): View {
  if (shown.state !== 'open') return html``;
  const { is_done, is_signed_in, done, of, position, next } = shown;
  if (!is_signed_in)
    return position < of && next === null
      ? html`<div class="progress"><p class="meta">${strings.orderNeedsAccount}</p><p class="links"><a class="button" href="${signInPath(path)}">${strings.signIn}</a></p></div>`
      : html`<p class="links"><a href="${signInPath(path)}">${strings.keepProgress}</a></p>`;
  const button = is_done
    ? html`<span class="done">${strings.lessonDone}</span> <button type="submit" name="action" value="undo" class="quiet">${strings.undoLesson}</button>`
    : html`<button type="submit" name="action" value="done">${strings.doneContinue}</button>`;
  return html`<form class="progress" method="post" action="${path}">${progressBar(strings.lessonsDone(done, of), done, of)}
<p class="links">${button}</p></form>`;
}

export const progressBar = (label: string, done: number, of: number): View =>
  html`<p class="meta"><progress aria-label="${label}" max="${of}" value="${done}"></progress>${inOneDirection(label)}</p>`;

function aroundLesson({ strings }: Visit, shown: ShownLesson): View {
  if (shown.state !== 'open') return html``;
  const { previous, next, course } = shown;
  const link = (lesson: OpenLesson['next'], name: string, label: string) =>
    when(
      lesson,
      () =>
        html`<a class="${name}" href="${lessonPath(course.slug, lesson?.id ?? '')}"><span class="meta">${label}</span><span class="title">${lesson?.title}</span></a>`,
    );
  return html`<footer class="after"><nav class="neighbours" aria-label="${strings.lessons}">${link(previous, 'previous', strings.previous)}${
    next
      ? link(next, 'next', strings.next)
      : html`<a class="next" href="${coursePath(course.slug)}"><span class="meta">${strings.backToCourse}</span><span class="title">${course.title}</span></a>`
  }</nav></footer>`;
}
