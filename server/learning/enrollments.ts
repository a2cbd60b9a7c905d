import { sql } from 'kysely';
import type { z } from 'zod';
import { recordEvent } from '../../shared/content/write.ts';
import { enrollment } from '../../shared/contract/audience/enrollment.ts';
import { Enrollment } from '../../shared/db/entities/audience.ts';
import { getContentEntity } from '../../shared/db/entities/content.ts';
import { ensureEnrolled } from '../../shared/learning/enroll.ts';
import { ApiError } from '../api/api-error.ts';
import type { StoreDeps } from '../api/deps.ts';
import { inTransaction, lockRow } from '../api/transaction.ts';
import { listKind } from '../audience/list-rows.ts';

/**
 * Enrolls a learner for the owner. An existing enrollment gets the source `owner` and is open again, without an event.
 * Throws `validation_failed` if there is no such course.
 */
export const enroll = (
  deps: StoreDeps,
  siteId: string,
  { course_id, buyer_email }: z.infer<typeof enrollment.create>,
) =>
  inTransaction(deps, siteId, async (em) => {
    const courses = await em.count(getContentEntity('courses'), { site_id: siteId, id: course_id });
    if (courses === 0) throw new ApiError('validation_failed', 'course_id: no such course');
    const learner = { course_id, buyer_email };
    const enrolled = await ensureEnrolled(em, deps, siteId, { ...learner, source: 'owner' });
    if (enrolled) return { ...enrolled, isNew: true };
    const row = await lockRow(em, Enrollment, { site_id: siteId, ...learner });
    em.assign(row, { source: 'owner', ended_at: null });
    return { id: row.id, created: row.created, isNew: false };
  });

/**
 * Ends an enrollment: it no longer opens its course, and its certificate is no longer shown. Progress stays. A repeated
 * call changes nothing. Throws `not_found`.
 */
export const endEnrollment = (deps: StoreDeps, siteId: string, id: string): Promise<void> =>
  inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, Enrollment, { site_id: siteId, id });
    row.ended_at ??= deps.clock.now();
  });

/** Marks a course as finished. A repeated call changes nothing and logs no event. Throws `not_found`. */
export async function completeEnrollment(deps: StoreDeps, siteId: string, id: string): Promise<void> {
  await inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, Enrollment, { site_id: siteId, id });
    if (row.completed_at) return;
    const completed_at = deps.clock.now();
    row.completed_at = completed_at;
    await em.flush();
    const { course_id: course, buyer_email } = row;
    const completed = { id, collection: 'enrollments' as const, course, buyer_email };
    const data = { ...completed, completed_at: completed_at.toISOString() };
    await recordEvent(em, deps, { siteId, name: 'course.completed', data });
  });
}

/** Adds the numbers of done and of all current lessons to enrollments. */
async function withProgress<Row extends { id: string; course_id: string }>(
  { database }: Pick<StoreDeps, 'database'>,
  siteId: string,
  rows: readonly Row[],
) {
  if (rows.length === 0) return [];
  const { rows: counts } = await sql<{ id: string; done: number; of: number }>`
    with asked as (
      select * from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ course_id }) => course_id)}::text[]) as a (id, course_id)
    )
    select a.id, (
      select count(*)::integer from lesson_progress p
      join lessons l on l.site_id = p.site_id and l.id = p.lesson_id
      join modules m on m.site_id = l.site_id and m.id = l.module_id
      where p.site_id = ${siteId} and p.enrollment_id = a.id and m.course_id = a.course_id
    ) as done, lessons_of_course.of from asked a
    join (
      select c.course_id, count(l.id)::integer as of from (select distinct course_id from asked) c
      left join modules m on m.site_id = ${siteId} and m.course_id = c.course_id
      left join lessons l on l.site_id = m.site_id and l.module_id = m.id
      group by c.course_id
    ) lessons_of_course on lessons_of_course.course_id = a.course_id`.execute(database.em.getKysely());
  const byId = new Map(counts.map(({ id, ...progress }) => [id, progress]));
  return rows.map((row) => ({ ...row, ...(byId.get(row.id) ?? { done: 0, of: 0 }) }));
}

/** Lists enrollments, newest first, with the progress of their learners. */
export async function listEnrollments(
  deps: Pick<StoreDeps, 'database'>,
  siteId: string,
  query: z.output<typeof enrollment.query>,
) {
  const list = await listKind(deps, siteId, enrollment, query);
  return { ...list, items: await withProgress(deps, siteId, list.items) };
}

/** Maximum number of courses that a learner sees, newest first. */
const maxShown = 200;

/** Courses of a learner, without ended enrollments. A course that visitors do not find has no slug. */
export async function listCourses(
  { database }: Pick<StoreDeps, 'database'>,
  siteId: string,
  buyer_email: string,
) {
  const rows = await database.em
    .getKysely()
    .selectFrom('enrollments as e')
    .innerJoin('courses as c', (join) =>
      join.onRef('c.site_id', '=', 'e.site_id').onRef('c.id', '=', 'e.course_id'),
    )
    .select(['e.id', 'e.course_id', 'e.completed_at', 'e.certificate_id', 'c.title', 'c.slug', 'c.is_public'])
    .where('e.site_id', '=', siteId)
    .where('e.buyer_email', '=', buyer_email)
    .where('e.ended_at', 'is', null)
    .orderBy('e.created', 'desc')
    .limit(maxShown)
    .execute();
  const shown = await withProgress({ database }, siteId, rows);
  return shown.map(({ id: _, course_id: __, is_public, slug, ...course }) => ({
    ...course,
    slug: is_public ? slug : null,
  }));
}
