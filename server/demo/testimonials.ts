import { testimonial } from '../../shared/contract/audience/testimonial.ts';
import { listKind } from '../audience/list-rows.ts';
import { submitTestimonial, updateTestimonial } from '../audience/testimonials/store.ts';
import { before, type DemoSite } from './backdate.ts';
import { readAudience } from './example.ts';

export async function fillTestimonials(site: DemoSite) {
  const { deps, siteId } = site;
  for (const { days_ago, ...one } of readAudience().testimonials)
    await submitTestimonial(before(site, days_ago).deps, siteId, one);
  const { items } = await listKind(deps, siteId, testimonial, { page: 1, per_page: 50 });
  for (const { id } of items) await updateTestimonial(deps, siteId, { id, approved: true });
}
