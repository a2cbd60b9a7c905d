import type { z } from 'zod';
import { recordEvent } from '../../shared/content/write.ts';
import type { enrollment } from '../../shared/contract/kinds/enrollment.ts';
import { Enrollment } from '../../shared/db/entities/audience.ts';
import { getContentEntity } from '../../shared/db/entities/content.ts';
import { ensureEnrolled } from '../../shared/selling/enroll.ts';
import { ApiError } from '../api/api-error.ts';
import type { StoreDeps } from '../api/deps.ts';
import { inTransaction, lockRow } from '../api/transaction.ts';

/** Enrolls a learner. Throws `validation_failed` if there is no such course, or the learner is enrolled already. */
export const enroll = (
  deps: StoreDeps,
  siteId: string,
  { course_id, buyer_email }: z.infer<typeof enrollment.create>,
) =>
  inTransaction(deps, siteId, async (em) => {
    const courses = await em.count(getContentEntity('courses'), { site_id: siteId, id: course_id });
    if (courses === 0) throw new ApiError('validation_failed', 'course_id: no such course');
    const enrolled = await ensureEnrolled(em, deps, siteId, { course_id, buyer_email });
    if (!enrolled) throw new ApiError('validation_failed', 'buyer_email: already enrolled in this course');
    return enrolled;
  });

/** Marks a course as finished; again changes nothing and fires nothing. Throws `not_found`. */
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
