import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import {
  Enrollment,
  type EnrollmentsAsked,
  Purchase,
  type PurchasesAsked,
  Subscriber,
  type SubscribersAsked,
  Testimonial,
  type TestimonialsAsked,
} from '../../../shared/contract/audience.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import { allOf, contains } from '../../kernel/conditions.ts';
import type { Deps } from '../../kernel/deps.ts';
import { newestPage } from '../../kernel/newest-page.ts';

/** Subscribers of a site, newest first. */
export function listSubscribers(
  { database }: Deps,
  siteId: string,
  { q, ...page }: z.output<typeof SubscribersAsked>,
) {
  const rows = database.em.getKysely().selectFrom('subscribers').where('site_id', '=', siteId);
  const asked = part(['email', 'name', 'source'], q);
  return newestPage(rows.where(allOf(asked)).select(namesOf(Subscriber)), page);
}

/** Testimonials of a site, newest first. */
export function listTestimonials(
  { database }: Deps,
  siteId: string,
  { q, approved, ...page }: z.output<typeof TestimonialsAsked>,
) {
  const rows = database.em.getKysely().selectFrom('testimonials').where('site_id', '=', siteId);
  const asked = [...part(['name', 'email', 'company', 'content'], q), ...is('approved', approved)];
  return newestPage(rows.where(allOf(asked)).select(namesOf(Testimonial)), page);
}

/** Purchases of a site, newest first. */
export function listPurchases(
  { database }: Deps,
  siteId: string,
  { q, content_type, ...page }: z.output<typeof PurchasesAsked>,
) {
  const rows = database.em.getKysely().selectFrom('purchases').where('site_id', '=', siteId);
  const asked = [...part(['buyer_email'], q), ...is('content_type', content_type)];
  return newestPage(rows.where(allOf(asked)).select(namesOf(Purchase)), page);
}

/** Enrolments of a site, newest first. */
export function listEnrollments(
  { database }: Deps,
  siteId: string,
  { q, course_id, completed, ...page }: z.output<typeof EnrollmentsAsked>,
) {
  const rows = database.em.getKysely().selectFrom('enrollments').where('site_id', '=', siteId);
  const isCompleted =
    completed === undefined ? [] : [sql<SqlBool>`(completed_at is not null) = ${completed}`];
  const asked = [...part(['buyer_email'], q), ...is('course_id', course_id), ...isCompleted];
  return newestPage(rows.where(allOf(asked)).select(namesOf(Enrollment)), page);
}

type Condition = RawBuilder<SqlBool>;

const part = (columns: readonly string[], q: string | undefined): Condition[] =>
  q === undefined ? [] : [contains(columns, q)];

const is = (column: string, value: string | boolean | undefined): Condition[] =>
  value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`];
