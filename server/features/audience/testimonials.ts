import type { z } from 'zod';
import { ApprovedTestimonial, type UpdateTestimonial } from '../../../shared/contract/audience.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import { TestimonialEntity } from '../../../shared/db/entities/audience.ts';
import { omitUndefined } from '../../../shared/omit-undefined.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import { inTransaction, lockRow } from '../../kernel/transaction.ts';

/** Most testimonials that a page shows. */
const mostShown = 100;

/** What the owner approved of, newest first. */
export const listApproved = ({ database }: StoreDeps, siteId: string) =>
  database.em
    .getKysely()
    .selectFrom('testimonials')
    .select(namesOf(ApprovedTestimonial))
    .where('site_id', '=', siteId)
    .where('approved', '=', true)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(mostShown)
    .execute();

/** Throws `not_found`. */
export const updateTestimonial = (
  deps: StoreDeps,
  siteId: string,
  { id, ...input }: z.infer<typeof UpdateTestimonial>,
): Promise<void> =>
  inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, TestimonialEntity, { site_id: siteId, id });
    em.assign(row, omitUndefined(input));
  });
