import type { FastifyInstance, FastifyRequest } from 'fastify';
import { anyone } from '../../../shared/content/gate.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import { ApiError, found, toApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { textsOf } from '../../http/body.ts';
import type { Page, Visit } from '../page.ts';
import { callsOf } from '../procedures.ts';
import { withQuery } from '../redirect.ts';
import { course, courseWith } from '../views/courses.ts';
import { type FormValues, unfilled } from '../views/forms.ts';
import { certificateContent, certificatePath } from '../views/learning.ts';
import { coursePath, lessonContent, lessonPath, lessonUses } from '../views/lesson.ts';
import { signIn, signInPath } from '../views/sign-in.ts';
import { beginVisit, leadNowhere, paramsOf, visitedSite, visitOf, visitorContext } from '../visit.ts';
import { type Form, type FormProblems, problemsOf, type Submission, sendOnce } from './form.ts';

const tier = 'site' as const;

const lessonPage: Pick<Page, 'uses' | 'query'> = { uses: lessonUses, query: ['play'] };

/** Serves the pages of lessons and certificates. They depend on the learner, so they are not cached. */
export function serveLearning(app: FastifyInstance, deps: Deps) {
  app.get(sitePaths.lesson, { config: { tier, isView: true } }, async (request, reply) =>
    sendLesson({ deps, request, reply }),
  );

  app.get(sitePaths.certificate, { config: { tier } }, async (request, reply) => {
    const { certificate: id = '' } = textsOf(request.params);
    const shown = await callsOf(visitorContext(deps, request))('visitors.learning.certificate', { id });
    const visit = await beginVisit(deps, request, signIn);
    return sendOnce(reply, visit, async (visiting, layout) => certificateContent(visiting, layout, shown));
  });
}

type Visiting = Pick<Submission, 'deps' | 'request' | 'reply'>;

/**
 * Sends a lesson with the status that is set on the reply. A lesson that waits for others redirects to the one to take
 * first. A former address of a lesson redirects to the current one; a form is sent again to that.
 */
async function sendLesson({ deps, request, reply }: Visiting, refused = unfilled) {
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
  return sendOnce(reply, { ...visit, reader }, (visiting) => lessonContent(visiting, shown, refused));
}

const queryOf = ({ url }: FastifyRequest) => url.split(/\?(.*)/s, 2)[1] ?? '';

function addressOf({ params }: FastifyRequest) {
  const { slug = '', lesson = '' } = textsOf(params);
  return { slug, lesson };
}

/** Form that starts a course. */
export const beginForm: Form = {
  path: sitePaths.beginCourse,
  calls: ['site.learning.begin'],
  async submit(submission) {
    const { call, request, reply, answer } = submission;
    const { slug } = addressOf(request);
    const { id } = await getCourse(submission);
    await call('site.learning.begin', { course_id: id });
    return reply.redirect(answer.lesson ? lessonPath(slug, answer.lesson) : coursePath(slug), 303);
  },
  again: (submission, error) => sendRefusedCourse(submission, error),
};

/** Form of a lesson that marks it as done, or not done. */
export const lessonForm: Form = {
  path: sitePaths.lesson,
  calls: ['site.learning.done', 'site.learning.undo'],
  async submit(submission) {
    const { call, request, reply, values, answer } = submission;
    const { slug, lesson } = addressOf(request);
    const { action } = values;
    if (action !== 'done' && action !== 'undo')
      throw new ApiError('invalid_request', 'action: must be done or undo');
    try {
      await call(`site.learning.${action}`, { lesson_id: lesson, slug }).catch(leadNowhere);
    } catch (error) {
      const { errorCode } = toApiError(error, true);
      if (errorCode === 'not_found') return sendLesson(submission);
      if (errorCode !== 'lesson_locked') throw error;
    }
    return reply.redirect(answer.lesson ? lessonPath(slug, answer.lesson) : coursePath(slug), 303);
  },
  again(submission, error) {
    const { slug, lesson } = addressOf(submission.request);
    return sendRefused(submission, error, lessonPath(slug, lesson), (filled) =>
      sendLesson(submission, filled),
    );
  },
};

/** Form in which a learner gives the name for the certificate. */
export const certifyForm: Form = {
  path: sitePaths.certify,
  calls: ['site.learning.certify'],
  async submit(submission) {
    const { call, request, reply, values } = submission;
    const { id } = await getCourse(submission);
    await call('site.learning.certify', { course_id: id, name: values.name ?? '' });
    const { certificate_id } = await getCourse(submission);
    const { slug } = addressOf(request);
    return reply.redirect(certificate_id ? certificatePath(certificate_id) : coursePath(slug), 303);
  },
  again: (submission, error) => sendRefusedCourse(submission, error),
};

/**
 * Returns the course of the requested path with the visitor's progress. Throws `not_found` if its lessons are not
 * published.
 */
async function getCourse({ deps, request }: Visiting) {
  const visit = await beginVisit(deps, request, course);
  const { slug } = addressOf(request);
  return found((await visit.read('visitors.learning.course', { slug }).catch(leadNowhere)).course);
}

const sendRefusedCourse = (submission: Submission, error: unknown) => {
  const { deps, request, reply } = submission;
  return sendRefused(submission, error, coursePath(addressOf(request).slug), async (filled) =>
    sendOnce(reply, await beginVisit(deps, request, course), courseWith(filled)),
  );
};

/**
 * Sends the page of a refused form by `send`. A signed-out visitor is redirected to sign in and returns to `path`. Throws
 * errors that are not in `shownAgain`.
 */
async function sendRefused(
  { reply, values }: Submission,
  error: unknown,
  path: string,
  send: (filled: FormValues) => Promise<unknown>,
) {
  const { errorCode } = toApiError(error, true);
  if (errorCode === 'unauthorized') return reply.redirect(signInPath(path), 303);
  if (!shownAgain.has(errorCode)) throw error;
  return send({ values, problems: problemsOfLearner(error) });
}

const shownAgain = new Set(['not_entitled', 'validation_failed', 'course_not_completed', 'rate_limited']);

function problemsOfLearner(error: unknown): FormProblems {
  const { errorCode } = toApiError(error, true);
  if (errorCode === 'course_not_completed') return { form: 'uncompleted' };
  // The page shows what opens the course.
  return errorCode === 'not_entitled' ? {} : problemsOf(error);
}
