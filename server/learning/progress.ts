import { sql } from 'kysely';
import type { z } from 'zod';
import { recordedEvents, type SiteEvent } from '../../shared/content/write.ts';
import type { CourseProgress, LessonOfLearner } from '../../shared/contract/features/learning.ts';
import { base62, newRecordId, randomText } from '../../shared/contract/record-id.ts';
import { ApiError } from '../api/api-error.ts';
import type { Context } from '../api/context.ts';
import type { StoreDeps } from '../api/deps.ts';
import { inOneStatement } from '../api/transaction.ts';
import {
  type CourseAddress,
  continuesAt,
  getLearner,
  isWaiting,
  type Learner,
  lessonOf,
  progressOf,
} from './learners.ts';

// An enrollment begins with "Start", with the first lesson that is done, with a purchase, or by the owner. It is completed once, by the
// call that marks the last open lesson as done, and stays so whatever is added, removed or undone later. An ended enrollment begins
// again with "Start" or the next lesson that is done.

type VisitorContext = Context & { siteId: string };
type SignedIn = Learner & { email: string };
type LessonAddress = z.infer<typeof LessonOfLearner>;

/**
 * Returns the learner who is signed in. Throws `not_found` for an unknown course, and `unauthorized` if no member is
 * signed in.
 */
async function getSignedInLearner(ctx: VisitorContext, by: CourseAddress): Promise<SignedIn> {
  const learner = await getLearner(ctx, by);
  if (learner.email === null)
    throw new ApiError('unauthorized', 'missing, invalid or expired X-Member-Token');
  return { ...learner, email: learner.email };
}

/**
 * Returns the learner who is signed in. Throws as `getSignedInLearner` does, and `not_entitled` if the learner has no access to
 * the course.
 */
async function getEntitled(ctx: VisitorContext, by: CourseAddress): Promise<SignedIn> {
  const learner = await getSignedInLearner(ctx, by);
  if (learner.gate_reason !== null) throw new ApiError('not_entitled');
  return learner;
}

/** Enrolls the learner, unless they are enrolled. The answer's note has the lesson at which they continue. */
export async function begin(ctx: VisitorContext, course_id: string): Promise<CourseProgress> {
  const learner = await getEntitled(ctx, { course_id });
  ctx.answer.lesson = continuesAt(learner);
  return learn(ctx, learner, null);
}

/**
 * Marks a lesson as done, and completes the course with its last one. Throws `lesson_locked` too. The answer's note has the lesson that
 * follows; null at the end of the course.
 */
export async function finishLesson(ctx: VisitorContext, of: LessonAddress): Promise<CourseProgress> {
  const learner = await getEntitled(ctx, of);
  const { lesson_id } = of;
  const { lesson, position } = lessonOf(learner, lesson_id);
  if (isWaiting(learner, lesson)) {
    ctx.answer.lesson = continuesAt(learner);
    throw new ApiError('lesson_locked');
  }
  const progress = await learn(ctx, learner, lesson_id);
  ctx.answer.lesson = progress.done === progress.of ? null : (learner.lessons[position + 1]?.id ?? null);
  return progress;
}

interface Learned {
  done: number;
  of: number;
  completed_at: Date | null;
}

/**
 * Enrolls the learner, and marks `lesson` as done unless it is null. The same statement logs the events of these
 * changes.
 */
async function learn(
  { deps, siteId }: VisitorContext,
  { id: course, email: buyer_email, ended_at }: SignedIn,
  lesson: string | null,
): Promise<CourseProgress> {
  const now = deps.clock.now();
  const id = newRecordId(now, deps.randomBytes);
  const data = { id, collection: 'enrollments' as const, course, buyer_email };
  const computed = { id: sql<string>`learned.enrollment` };
  const events: [SiteEvent, SiteEvent] = [
    { siteId, name: 'course.enrolled', data, computed, when: sql`learned.is_new` },
    {
      ...{ siteId, name: 'course.completed', computed, when: sql`learned.completes` },
      data: { ...data, completed_at: now.toISOString() },
    },
  ];
  return inOneStatement(deps, siteId, async (em) => {
    const { parts, wake } = recordedEvents(deps, { events, after: 'learned' });
    const { rows } = await sql<Learned>`
      with learned as materialized (
        select * from learn(${siteId}, ${course}, ${buyer_email}, ${id}, ${lesson}, ${ended_at !== null}, ${now})
      ), ${parts}, woken as materialized (${wake})
      select done, of, completed_at, (select count(*) from woken) from learned`.execute(em.getKysely());
    const [learned] = rows;
    if (!learned) throw new Error('PostgreSQL returned no row');
    const { done, of, completed_at } = learned;
    return { done, of, completed_at };
  });
}

/** Marks a lesson as not done. A completed course stays completed. Throws `unauthorized`, `not_found` and `not_entitled`. */
export async function undoLesson(ctx: VisitorContext, of: LessonAddress): Promise<CourseProgress> {
  const { deps, siteId } = ctx;
  const learner = await getEntitled(ctx, of);
  const { lesson_id } = of;
  const progress = progressOf(learner);
  ctx.answer.lesson = lesson_id;
  if (!lessonOf(learner, lesson_id).lesson.is_done) return progress;
  await inOneStatement(deps, siteId, (em) =>
    sql`delete from lesson_progress where site_id = ${siteId} and enrollment_id = ${learner.enrollment_id} and lesson_id = ${lesson_id}`.execute(
      em.getKysely(),
    ),
  );
  return { ...progress, done: progress.done - 1 };
}

/**
 * Gives the certificate a name, once. Throws `unauthorized`, `not_found`, and `course_not_completed` without a completed enrollment that
 * has not ended.
 */
export async function certify(
  ctx: VisitorContext,
  { course_id, name }: { course_id: string; name: string },
): Promise<CourseProgress> {
  const { deps, siteId } = ctx;
  const learner = await getSignedInLearner(ctx, { course_id });
  if (!learner.is_enrolled || learner.completed_at === null) throw new ApiError('course_not_completed');
  const certificate_id = randomText(base62, 22, deps.randomBytes);
  await inOneStatement(deps, siteId, (em) =>
    sql`
      update enrollments set certificate_id = ${certificate_id}, certificate_name = ${name.trim()}, certificate_title = ${learner.title}
      where site_id = ${siteId} and id = ${learner.enrollment_id} and certificate_id is null and ended_at is null`.execute(
      em.getKysely(),
    ),
  );
  return progressOf(learner);
}

/** Certificate of a completed enrollment that has not ended; null if there is none. Rows of archives may lack its parts. */
export async function findCertificate(
  { database }: Pick<StoreDeps, 'database'>,
  siteId: string,
  certificateId: string,
) {
  const { rows } = await sql<{ name: string; title: string; completed_at: Date }>`
    select certificate_name as name, certificate_title as title, completed_at from enrollments
    where site_id = ${siteId} and certificate_id = ${certificateId} and ended_at is null
      and completed_at is not null and certificate_name is not null and certificate_title is not null`.execute(
    database.em.getKysely(),
  );
  return rows[0] ?? null;
}
