import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { z } from 'zod';
import type { enrollment } from '../../../shared/contract/kinds/enrollment.ts';
import { withUnset } from '../../../shared/contract/kinds/kind.ts';
import type { purchase } from '../../../shared/contract/kinds/purchase.ts';
import { activeSubscriber, subscriber } from '../../../shared/contract/kinds/subscriber.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { Enrollment, Purchase } from '../../../shared/db/entities/audience.ts';
import { getContentEntity } from '../../../shared/db/entities/content.ts';
import { findSuppressed } from '../../../shared/newsletter/suppressions.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Deps, StoreDeps } from '../../api/deps.ts';
import { inTransaction, lockRow } from '../../api/transaction.ts';
import { recordEvent } from '../../events/event-log.ts';
import { insertSubscriber } from './confirmation.ts';

/**
 * Adds an address to the newsletter. One that is on it already, or wants nothing from the site any more, changes nothing, fires
 * nothing, and is not told apart.
 */
export async function subscribe(
  deps: StoreDeps & Pick<Deps, 'secrets'>,
  siteId: string,
  input: z.infer<typeof subscriber.create>,
): Promise<void> {
  if ((await findSuppressed(deps, siteId, [input.email])).size > 0) return;
  const now = deps.clock.now();
  const added = { id: newRecordId(now, deps.randomBytes), ...withUnset(subscriber.unset, input) };
  await inTransaction(deps, siteId, async (em) => {
    const row = { ...added, ...activeSubscriber, site_id: siteId, created: now };
    if (!(await insertSubscriber(em, row))) return;
    const data = { ...added, collection: 'subscribers' as const };
    await recordEvent(em, deps, { siteId, name: 'newsletter.subscribe', data });
  });
}

/** Records a completed purchase of a record of the site. Throws `validation_failed` when there is no such record. */
export async function recordPurchase(
  deps: StoreDeps,
  siteId: string,
  input: z.infer<typeof purchase.create>,
) {
  const created = new Timestamp(deps.clock.now());
  const recorded = { id: newRecordId(created, deps.randomBytes), ...input };
  await inTransaction(deps, siteId, async (em) => {
    const { content_type, content_id } = input;
    const bought = await em.count(getContentEntity(content_type), { site_id: siteId, id: content_id });
    if (bought === 0) throw new ApiError('validation_failed', 'content_id: no such record');
    await em.persist(em.create(Purchase, { ...recorded, site_id: siteId, created })).flush();
    const data = { ...recorded, collection: 'purchases' as const };
    await recordEvent(em, deps, { siteId, name: 'purchase.completed', data });
  });
  return { id: recorded.id, created };
}

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
    const data = { id, collection: 'enrollments' as const, course: course_id, buyer_email };
    await recordEvent(em, deps, { siteId, name: 'course.enrolled', data });
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
    const completed = { id, collection: 'enrollments' as const, course, buyer_email };
    const data = { ...completed, completed_at: completed_at.toISOString() };
    await recordEvent(em, deps, { siteId, name: 'course.completed', data });
  });
}
