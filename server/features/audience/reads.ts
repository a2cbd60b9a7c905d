import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Subscriber, Testimonial } from '../../../shared/contract/audience.ts';
import type { Deps } from '../../kernel/deps.ts';
import { newestPage } from '../../kernel/newest-page.ts';

interface Tables {
  subscribers: z.infer<typeof Subscriber> & { site_id: string };
  testimonials: z.infer<typeof Testimonial> & { site_id: string };
}

interface Page {
  page: number;
  per_page: number;
}

/** Subscribers of a site, newest first. */
export function listSubscribers({ database }: Deps, siteId: string, page: Page) {
  const db: Kysely<Tables> = database.em.getKysely();
  const rows = db.selectFrom('subscribers').where('site_id', '=', siteId);
  return newestPage(rows.select(['id', 'email', 'name', 'source', 'created']), page);
}

/** Testimonials of a site, newest first. */
export function listTestimonials({ database }: Deps, siteId: string, page: Page) {
  const db: Kysely<Tables> = database.em.getKysely();
  const rows = db.selectFrom('testimonials').where('site_id', '=', siteId);
  return newestPage(
    rows.select(['id', 'name', 'email', 'company', 'role', 'content', 'rating', 'created']),
    page,
  );
}
