import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { anyone } from '../../../shared/content/gate.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import { ApiError, found, toApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { textsOf } from '../../http/body.ts';
import type { Http } from '../../http/send-representation.ts';
import type { Page, Visit } from '../page.ts';
import { callsOf } from '../procedures.ts';
import { withQuery } from '../redirect.ts';
import { course, courseWith } from '../views/courses.ts';
import { unfilled } from '../views/forms.ts';
import { certificateContent, certificatePath } from '../views/learning.ts';
import { coursePath, lessonContent, lessonPath, lessonUses } from '../views/lesson.ts';
import { signIn, signInPath } from '../views/sign-in.ts';
import { beginVisit, leadNowhere, paramsOf, visitedSite, visitOf, visitorContext } from '../visit.ts';
import { type FormProblems, problemsOf, requireOwnOrigin } from './form.ts';
import { sendOnce } from './serve-forms.ts';

const maxFormBytes = 4_096;

const tier = 'site' as const;

const lessonPage: Pick<Page, 'uses' | 'query'> = { uses: lessonUses, query: ['play'] };

/** Serves the pages of lessons. They depend on the learner, so they are not cached. */
export function serveLessons(app: FastifyInstance, deps: Deps) {
  app.get(sitePaths.lesson, { config: { tier, isView: true } }, async (request, reply) =>
    sendLesson(deps, { request, reply }),
  );
}

/**
 * Sends a lesson with the status that is set on the reply. A lesson that waits for others redirects to the one to take
 * first. A former address of a lesson redirects to the current one; a form is sent again to that.
 */
async function sendLesson(deps: Deps, { request, reply }: Http) {
  const ctx = visitorContext(deps, request);
  const site = await visitedSite(ctx, request);
  const visit: Visit = { ...visitOf(ctx, site, lessonPage), ...paramsOf(request, lessonPage) };
  const { slug, lesson } = addressOf(request);
  const shown = await visit.read('visitors.lesson', { slug, lesson_id: lesson }).catch(leadNowhere);
  if (shown.state === 'moved')
    return reply
      .header('cache-control', 'public, max-age=0, must-revalidate')
      .redirect(
        withQuery(lessonPath(shown.slug, lesson), queryOf(request)),
        request.method === 'POST' ? 308 : 301,
      );
  if (shown.state === 'locked')
    return reply.header('cache-control', 'private, no-store').redirect(lessonPath(slug, shown.to), 303);
  request.visitedSiteId = site.id;
  const reader = { ...anyone, signedIn: shown.is_signed_in };
  return sendOnce(reply, { ...visit, reader }, (visiting) => lessonContent(visiting, shown));
}

const queryOf = ({ url }: FastifyRequest) => url.split(/\?(.*)/s, 2)[1] ?? '';

function addressOf({ params }: FastifyRequest) {
  const { slug = '', lesson = '' } = textsOf(params);
  return { slug, lesson };
}

/** Serves the forms of learners, and the pages of certificates. */
export async function serveLearning(app: FastifyInstance, deps: Deps) {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { bodyLimit: maxFormBytes });

  app.post(sitePaths.beginCourse, { config: { tier } }, async (request, reply) => {
    requireOwnOrigin(request);
    const { slug } = addressOf(request);
    const ctx = visitorContext(deps, request);
    try {
      const { id } = await getCourse(deps, request);
      await callsOf(ctx)('site.learning.begin', { course_id: id });
      const { lesson } = ctx.answer;
      return reply.redirect(lesson ? lessonPath(slug, lesson) : coursePath(slug), 303);
    } catch (error) {
      return refuse(error, { request, reply }, coursePath(slug), () => sendCourse(deps, { request, reply }));
    }
  });

  app.post(sitePaths.lesson, { config: { tier } }, async (request, reply) => {
    requireOwnOrigin(request);
    const { slug, lesson } = addressOf(request);
    const { action } = textsOf(request.body);
    if (action !== 'done' && action !== 'undo')
      throw new ApiError('invalid_request', 'action: must be done or undo');
    const ctx = visitorContext(deps, request);
    try {
      await callsOf(ctx)(`site.learning.${action}`, { lesson_id: lesson, slug }).catch(leadNowhere);
    } catch (error) {
      const { errorCode } = toApiError(error, true);
      if (errorCode === 'not_found') return sendLesson(deps, { request, reply });
      if (errorCode !== 'lesson_locked')
        return refuse(error, { request, reply }, lessonPath(slug, lesson), () =>
          sendLesson(deps, { request, reply }),
        );
    }
    const to = ctx.answer.lesson;
    return reply.redirect(to ? lessonPath(slug, to) : coursePath(slug), 303);
  });

  app.post(sitePaths.certify, { config: { tier } }, async (request, reply) => {
    requireOwnOrigin(request);
    const { slug } = addressOf(request);
    const { name = '' } = textsOf(request.body);
    try {
      const { id } = await getCourse(deps, request);
      await callsOf(visitorContext(deps, request))('site.learning.certify', { course_id: id, name });
      const { certificate_id } = await getCourse(deps, request);
      return reply.redirect(certificate_id ? certificatePath(certificate_id) : coursePath(slug), 303);
    } catch (error) {
      return refuse(error, { request, reply }, coursePath(slug), () =>
        sendCourse(deps, { request, reply }, { values: { name }, problems: problemsOfName(error) }),
      );
    }
  });

  app.get(sitePaths.certificate, { config: { tier } }, async (request, reply) => {
    const { certificate: id = '' } = textsOf(request.params);
    const shown = await callsOf(visitorContext(deps, request))('visitors.learning.certificate', { id });
    const visit = await beginVisit(deps, request, signIn);
    return sendOnce(reply, visit, async (visiting, layout) => certificateContent(visiting, layout, shown));
  });
}

/**
 * Returns the course of the requested path with the visitor's progress. Throws `not_found` if its lessons are not
 * published.
 */
async function getCourse(deps: Deps, request: FastifyRequest) {
  const visit = await beginVisit(deps, request, course);
  const { slug } = addressOf(request);
  return found((await visit.read('visitors.learning.course', { slug }).catch(leadNowhere)).course);
}

const problemsOfName = (error: unknown): FormProblems =>
  toApiError(error, true).errorCode === 'course_not_completed' ? { form: 'uncompleted' } : problemsOf(error);

const sendCourse = async (deps: Deps, { request, reply }: Http, filled = unfilled) =>
  sendOnce(reply, await beginVisit(deps, request, course), courseWith(filled));

/**
 * Answers a refused form. A signed-out visitor is redirected to sign in and returns to `path`. For errors in
 * `shownAgain`, `again` sends the page, with the status of the error. Throws other errors.
 */
function refuse(error: unknown, { reply }: Http, path: string, again: () => Promise<unknown>) {
  const { errorCode, status } = toApiError(error, true);
  if (errorCode === 'unauthorized') return reply.redirect(signInPath(path), 303);
  if (!shownAgain.has(errorCode)) throw error;
  reply.code(status);
  return again();
}

const shownAgain = new Set(['not_entitled', 'validation_failed', 'course_not_completed', 'rate_limited']);
