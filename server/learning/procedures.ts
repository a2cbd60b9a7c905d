import { z } from 'zod';
import {
  Certificate,
  CertificateId,
  Certify,
  CourseOfLearner,
  CourseProgress,
  LearnedCourse,
  LearnerCourses,
  LessonOfLearner,
  LessonPage,
} from '../../shared/contract/features/learning.ts';
import { RecordId, SlugAddress } from '../../shared/contract/record-id.ts';
import { keyProcedure, siteProcedure } from '../api/access/procedures.ts';
import { found } from '../api/api-error.ts';
import { router } from '../api/trpc.ts';
import { getSignedIn } from '../audience/members/member-session.ts';
import { enrollments } from './enrollment-procedures.ts';
import { listCourses } from './enrollments.ts';
import {
  continuesAt,
  findLearner,
  getLearner,
  isWaiting,
  type Learner,
  type Lesson,
  lessonOf,
  progressOf,
  readBody,
} from './learners.ts';
import { begin, certify, findCertificate, finishLesson, undoLesson } from './progress.ts';

const learnerProcedure = siteProcedure.meta({ tier: 'site', memberToken: true });

/** Calls of a learner who is signed in, on the pages of the site or of another front end. */
const site = router({
  begin: learnerProcedure
    .meta({ errors: ['unauthorized', 'not_entitled'] })
    .input(CourseOfLearner)
    .output(CourseProgress)
    .mutation(({ ctx, input }) => begin(ctx, input.course_id)),
  done: learnerProcedure
    .meta({ errors: ['unauthorized', 'not_entitled', 'lesson_locked'] })
    .input(LessonOfLearner)
    .output(CourseProgress)
    .mutation(({ ctx, input }) => finishLesson(ctx, input)),
  undo: learnerProcedure
    .meta({ errors: ['unauthorized', 'not_entitled'] })
    .input(LessonOfLearner)
    .output(CourseProgress)
    .mutation(({ ctx, input }) => undoLesson(ctx, input)),
  certify: learnerProcedure
    .meta({ errors: ['unauthorized', 'course_not_completed'] })
    .input(Certify)
    .output(CourseProgress)
    .mutation(({ ctx, input }) => certify(ctx, input)),
});

const visitor = keyProcedure.meta({ scope: 'read', memberToken: true });

const stateOf = (learner: Learner) => ({
  gate_reason: learner.gate_reason,
  is_signed_in: learner.email !== null,
  ...progressOf(learner),
});

/**
 * Returns ID and title of a neighboring lesson, for a link to it. Null if there is none, or if the page of this lesson
 * would redirect.
 */
const neighborOf = (learner: Learner, lesson: Lesson | undefined) =>
  lesson && (learner.gate_reason !== null || !isWaiting(learner, lesson))
    ? { id: lesson.id, title: lesson.title }
    : null;

/** Returns a lesson for its page. No other call returns a body to visitors (docs/reference/courses.md#lessons). */
const lessonPage = visitor
  .input(z.strictObject({ slug: SlugAddress, lesson_id: RecordId }))
  .output(LessonPage)
  .query(async ({ ctx, input }) => {
    const course = await findLearner(ctx, { slug: input.slug });
    // The slug may have changed. The ID of a lesson identifies its course.
    if (!course)
      return { state: 'moved', slug: (await getLearner(ctx, { lesson_id: input.lesson_id })).slug } as const;
    const { lesson, position } = lessonOf(course, input.lesson_id);
    const { id, slug, title, access_tier, lessons, gate_reason } = course;
    const shown = {
      ...stateOf(course),
      course: { id, slug, title, access_tier },
      lesson: { id: lesson.id, title: lesson.title },
      module: lesson.module,
    };
    if (gate_reason !== null && !lesson.is_preview) return { state: 'closed', ...shown } as const;
    const to = continuesAt(course);
    if (to !== null && isWaiting(course, lesson)) return { state: 'locked', to } as const;
    return {
      ...{ state: 'open' as const, ...shown, position: position + 1, is_done: lesson.is_done },
      previous: neighborOf(course, lessons[position - 1]),
      next: neighborOf(course, lessons[position + 1]),
      ...(await readBody(ctx, lesson.id)),
    };
  });

const isOpen = (learner: Learner, lesson: Lesson) =>
  lesson.is_preview || (learner.gate_reason === null && !isWaiting(learner, lesson));

const pages = router({
  /** Course with the access and progress of the visitor; null if its lessons are not published. */
  course: visitor
    .meta({ reads: ['courses', 'modules', 'lessons'] })
    .input(z.strictObject({ slug: SlugAddress }))
    .output(z.strictObject({ course: LearnedCourse.nullable() }))
    .query(async ({ ctx, input }) => {
      const learner = await findLearner(ctx, input);
      if (!learner) return { course: null };
      const { id, is_enrolled, certificate_id } = learner;
      const lessons = learner.lessons.map((lesson) => {
        const { module: _, ...shown } = lesson;
        return { ...shown, is_open: isOpen(learner, lesson) };
      });
      const own = is_enrolled ? certificate_id : null;
      return { course: { id, ...stateOf(learner), is_enrolled, certificate_id: own, lessons } };
    }),
  /** Courses of the member who is signed in. */
  courses: siteProcedure.output(LearnerCourses).query(async ({ ctx }) => {
    const { email } = await getSignedIn(ctx);
    return { data: await listCourses(ctx.deps, ctx.siteId, email) };
  }),
  certificate: siteProcedure
    .input(z.strictObject({ id: z.string() }))
    .output(Certificate)
    .query(async ({ ctx, input }) => {
      const { success, data } = CertificateId.safeParse(input.id);
      return found(success ? await findCertificate(ctx.deps, ctx.siteId, data) : null);
    }),
});

/** Procedures for lessons on the site: access, order, progress and certificates (docs/reference/courses.md#learning). */
export const learning = {
  ...enrollments,
  site: { learning: site },
  visitors: { lesson: lessonPage, learning: pages },
};
