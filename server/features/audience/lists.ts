import { Enrollment, Purchase, Subscriber, Testimonial } from '../../../shared/contract/audience.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import type { Deps } from '../../kernel/deps.ts';
import { newestPage } from '../../kernel/newest-page.ts';

interface Page {
  page: number;
  per_page: number;
}

/** Subscribers of a site, newest first. */
export const listSubscribers = ({ database }: Deps, siteId: string, page: Page) =>
  newestPage(
    database.em
      .getKysely()
      .selectFrom('subscribers')
      .select(namesOf(Subscriber))
      .where('site_id', '=', siteId),
    page,
  );

/** Testimonials of a site, newest first. */
export const listTestimonials = ({ database }: Deps, siteId: string, page: Page) =>
  newestPage(
    database.em
      .getKysely()
      .selectFrom('testimonials')
      .select(namesOf(Testimonial))
      .where('site_id', '=', siteId),
    page,
  );

/** Purchases of a site, newest first. */
export const listPurchases = ({ database }: Deps, siteId: string, page: Page) =>
  newestPage(
    database.em.getKysely().selectFrom('purchases').select(namesOf(Purchase)).where('site_id', '=', siteId),
    page,
  );

/** Enrolments of a site, newest first. */
export const listEnrollments = ({ database }: Deps, siteId: string, page: Page) =>
  newestPage(
    database.em
      .getKysely()
      .selectFrom('enrollments')
      .select(namesOf(Enrollment))
      .where('site_id', '=', siteId),
    page,
  );
