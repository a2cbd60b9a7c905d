import { p } from '@mikro-orm/core';
import type { z } from 'zod';
import { enrollment } from '../../contract/audience/enrollment.ts';
import { membership } from '../../contract/audience/membership.ts';
import { purchase, type StateColumns } from '../../contract/audience/purchase.ts';
import { subscriber, type subscriberStatuses } from '../../contract/audience/subscriber.ts';
import { testimonial } from '../../contract/audience/testimonial.ts';
import type { Member } from '../../contract/features/member.ts';
import {
  bookkeeping,
  computedText,
  fieldColumns,
  isPublic,
  sitePrimaryKey,
  table,
  textArray,
  timestampColumn,
} from '../columns.ts';

/** Member account of a site. */
export const MemberEntity = table(
  'members',
  {
    ...sitePrimaryKey,
    email: p.text(),
    name: p.text(),
    status: p.text().$type<z.infer<typeof Member>['status']>(),
    access_tiers: textArray().$type<z.infer<typeof Member>['access_tiers']>(),
    last_seen_at: timestampColumn().nullable(),
    is_public: isPublic('true'),
    ...bookkeeping,
  },
  { name: 'members_email_key', properties: ['site_id', 'email'] },
);

/** Session of a signed-in member. Only the SHA-256 hash of its token is stored. */
export const MemberSession = table('member_sessions', {
  ...sitePrimaryKey,
  member_id: p.text(),
  token_hash: p.text().unique('member_sessions_token_hash_key'),
  expires_at: timestampColumn(),
  created: timestampColumn(),
});

/**
 * Sign-in code of an email address. It is encrypted, because a hash of six digits can be reversed by trying all of
 * them.
 */
export const SignInCode = table('sign_in_codes', {
  site_id: p.text().primary(),
  email: p.text().primary(),
  asker: p.text().primary(),
  name: p.text(),
  code_sealed: p.text(),
  tries_left: p.integer(),
  expires_at: timestampColumn(),
});

/**
 * A one-time purchase. While it is `paid`, it opens its record to this address. Columns have defaults because servers of the previous
 * version record purchases without them.
 */
export const Purchase = table('purchases', {
  ...sitePrimaryKey,
  ...fieldColumns(purchase.fields),
  refunded_amount: p.decimal('number').columnType('numeric').default(0),
  dispute: p.text().$type<StateColumns['dispute']>().default('none'),
  provider: p.text().default('manual'),
  livemode: p.boolean().default(true),
  charge_ref: p.text().nullable(),
  account_key: p.text().nullable(),
  state: computedText<z.infer<typeof purchase.read>['state']>(
    `case when revoked_at is not null or dispute = 'lost' then 'revoked' when dispute = 'open' then 'disputed' when amount > 0 and refunded_amount >= amount then 'refunded' else 'paid' end`,
  ),
  created: timestampColumn(),
  updated: timestampColumn().defaultRaw('now()'),
});

/** A recurring payment. Until `open_until`, it opens its tiers to the mailbox of its address. */
export const Membership = table(
  'memberships',
  {
    ...sitePrimaryKey,
    ...fieldColumns(membership.fields),
    external_id: p.text(),
    open_until: timestampColumn(),
    as_of: timestampColumn(),
    customer_ref: p.text().nullable(),
    account_key: p.text().nullable(),
    trial_used: p.boolean(),
    mailbox: computedText('mailbox_of(email)'),
    ...bookkeeping,
  },
  { name: 'memberships_external_key', properties: ['site_id', 'provider', 'external_id'] },
);

/** Learner of a course. */
export const Enrollment = table(
  'enrollments',
  {
    ...sitePrimaryKey,
    ...fieldColumns(enrollment.fields),
    source: p.text().$type<z.infer<typeof enrollment.read>['source']>().default('owner'),
    certificate_id: p.text().nullable(),
    certificate_name: p.text().nullable(),
    certificate_title: p.text().nullable(),
    created: timestampColumn(),
  },
  { name: 'enrollments_once_key', properties: ['site_id', 'course_id', 'buyer_email'] },
);

/** Lesson that a learner has done. It refers to lessons in the trash too. */
const LessonProgress = table('lesson_progress', {
  site_id: p.text().primary(),
  enrollment_id: p.text().primary(),
  lesson_id: p.text().primary(),
  done_at: timestampColumn(),
});

export const TestimonialEntity = table('testimonials', {
  ...sitePrimaryKey,
  ...fieldColumns(testimonial.fields),
  is_public: isPublic('approved'),
  created: timestampColumn(),
});

export const SubscriberEntity = table(
  'subscribers',
  {
    ...sitePrimaryKey,
    ...fieldColumns(subscriber.fields),
    status: p.text().$type<(typeof subscriberStatuses)[number]>(),
    confirm_sent_at: timestampColumn().nullable(),
    confirmed_at: timestampColumn().nullable(),
    ended_at: timestampColumn().nullable(),
    /** Number of recent temporary bounces, and the time of the last one. */
    soft_bounces: p.integer(),
    last_bounce_at: timestampColumn().nullable(),
    created: timestampColumn(),
  },
  { name: 'subscribers_email_key', properties: ['site_id', 'email'] },
);

export const audienceEntities = [
  MemberEntity,
  MemberSession,
  SignInCode,
  Purchase,
  Membership,
  Enrollment,
  LessonProgress,
  TestimonialEntity,
  SubscriberEntity,
];
