import type { z } from 'zod';
import { type ContentDeps, recordEvent } from '../content/write.ts';
import type { enrollment } from '../contract/audience/enrollment.ts';
import { newRecordId } from '../contract/record-id.ts';
import { Timestamp } from '../contract/timestamps.ts';
import type { Transaction } from '../db/config.ts';

/** Enrolls a learner within a transaction, with the event. Returns null, and changes nothing, if the learner is enrolled already. */
export async function ensureEnrolled(
  em: Transaction,
  deps: ContentDeps,
  siteId: string,
  {
    course_id,
    buyer_email,
    source,
  }: z.infer<typeof enrollment.create> & Pick<z.infer<typeof enrollment.read>, 'source'>,
) {
  const created = new Timestamp(deps.clock.now());
  const id = newRecordId(created, deps.randomBytes);
  const inserted = await em
    .getKysely()
    .insertInto('enrollments')
    .values({ site_id: siteId, id, course_id, buyer_email, source, created })
    .onConflict((conflict) => conflict.columns(['site_id', 'course_id', 'buyer_email']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) return null;
  const data = { id, collection: 'enrollments' as const, course: course_id, buyer_email };
  await recordEvent(em, deps, { siteId, name: 'course.enrolled', data });
  return { id, created };
}
