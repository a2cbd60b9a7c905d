import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { z } from 'zod';
import type { enrollment } from '../../../shared/contract/kinds/enrollment.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { Enrollment } from '../../../shared/db/entities/audience.ts';
import { getContentEntity } from '../../../shared/db/entities/content.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import { inTransaction, lockRow } from '../../kernel/transaction.ts';
import { recordEvent } from '../events/event-log.ts';

const collection = 'enrollments' as const;

/** Enrols a learner. Throws `validation_failed` when there is no such course, or the learner is in it already. */
export async function enroll(
  deps: StoreDeps,
  siteId: string,
  { course_id, buyer_email }: z.infer<typeof enrollment.create>,
) {
  const created = new Timestamp(deps.clock.now());
  const id = newRecordId(created, deps.randomBytes);
  const work = inTransaction(deps, siteId, async (em) => {
    const courses = await em.count(getContentEntity('courses'), { site_id: siteId, id: course_id });
    if (courses === 0) throw new ApiError('validation_failed', 'course_id: no such course');
    await em.persist(em.create(Enrollment, { site_id: siteId, id, course_id, buyer_email, created })).flush();
    await recordEvent(em, deps, {
      siteId,
      name: 'course.enrolled',
      data: { id, collection, course: course_id, buyer_email },
    });
  });
  await work.catch((error) => {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw new ApiError('validation_failed', 'buyer_email: already enrolled in this course', { cause: error });
  });
  return { id, created };
}

/** Marks a course as finished; again changes nothing and fires nothing. Throws `not_found`. */
export async function completeEnrollment(deps: StoreDeps, siteId: string, id: string): Promise<void> {
  await inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, Enrollment, { site_id: siteId, id });
    if (row.completed_at) return;
    const completed_at = deps.clock.now();
    row.completed_at = completed_at;
    await em.flush();
    const { course_id: course, buyer_email } = row;
    const data = { id, collection, course, buyer_email, completed_at: completed_at.toISOString() };
    await recordEvent(em, deps, { siteId, name: 'course.completed', data });
  });
}
