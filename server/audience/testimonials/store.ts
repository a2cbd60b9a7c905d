import type { z } from 'zod';
import { recordEvent } from '../../../shared/content/write.ts';
import { withUnset } from '../../../shared/contract/audience/audience-table.ts';
import {
  ApprovedTestimonial,
  testimonial,
  type UpdateTestimonial,
} from '../../../shared/contract/audience/testimonial.ts';
import { namesOf, omitUndefined } from '../../../shared/contract/names-of.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { TestimonialEntity } from '../../../shared/db/entities/audience.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { inTransaction, lockRow } from '../../api/transaction.ts';

/** Maximum number of approved testimonials that the site returns; older ones are omitted. */
const maxShown = 100;

/** Lists approved testimonials, newest first, at most `maxShown`. */
export const listApproved = ({ database }: StoreDeps, siteId: string) =>
  database.em
    .getKysely()
    .selectFrom('testimonials')
    .select(namesOf(ApprovedTestimonial))
    .where('site_id', '=', siteId)
    .where('approved', '=', true)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(maxShown)
    .execute();

/** Updates a testimonial. Throws `not_found`. */
export const updateTestimonial = (
  deps: StoreDeps,
  siteId: string,
  { id, ...input }: z.infer<typeof UpdateTestimonial>,
): Promise<void> =>
  inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, TestimonialEntity, { site_id: siteId, id });
    em.assign(row, omitUndefined(input));
  });

/** Stores a testimonial for the owner's approval. */
export async function submitTestimonial(
  deps: StoreDeps,
  siteId: string,
  input: z.infer<typeof testimonial.create>,
): Promise<void> {
  const created = deps.clock.now();
  const id = newRecordId(created, deps.randomBytes);
  const values = withUnset(testimonial.unset, input);
  const { name, email, company, role } = values;
  await inTransaction(deps, siteId, async (em) => {
    await em.persist(em.create(TestimonialEntity, { ...values, id, site_id: siteId, created })).flush();
    const data = { id, collection: 'testimonials' as const, name, email, company, role };
    await recordEvent(em, deps, { siteId, name: 'testimonial.submitted', data });
  });
}
