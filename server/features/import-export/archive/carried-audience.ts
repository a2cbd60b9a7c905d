import { z } from 'zod';
import { suppressionReasons } from '../../../../shared/contract/features/mail-reports.ts';
import { Member } from '../../../../shared/contract/features/member.ts';
import { Email } from '../../../../shared/contract/fields.ts';
import { enrollment } from '../../../../shared/contract/kinds/enrollment.ts';
import { purchase } from '../../../../shared/contract/kinds/purchase.ts';
import { subscriber, subscriberStatuses } from '../../../../shared/contract/kinds/subscriber.ts';
import { testimonial } from '../../../../shared/contract/kinds/testimonial.ts';
import { bookkeeping, createdAt, type Declared, id } from './carried-row.ts';
import { fieldColumns, momentOrNull, newer, value } from './columns.ts';

/** Who reads a site, buys of it and speaks of it. */
export const audience: Declared[] = [
  {
    name: 'members',
    table: 'members',
    columns: {
      ...id,
      email: value(Email),
      name: value(Member.shape.name),
      status: value(Member.shape.status),
      access_tiers: value(Member.shape.access_tiers),
      last_seen_at: momentOrNull,
      ...bookkeeping,
    },
    key: ['id'],
    once: ['email'],
    label: 'email',
  },
  {
    name: 'suppressions',
    table: 'suppressions',
    columns: {
      // Under the mail key, which stands in the manifest.
      email_hash: value(z.string().regex(/^[\w-]{43}$/)),
      reason: value(z.enum(suppressionReasons)),
      ...createdAt,
    },
    key: ['email_hash'],
    label: 'reason',
  },
  {
    name: 'subscribers',
    table: 'subscribers',
    columns: {
      ...id,
      ...fieldColumns(subscriber.fields),
      // In archives from before there were states are those who get mail.
      status: newer(value(z.enum(subscriberStatuses)), 'active'),
      confirm_sent_at: newer(momentOrNull, null),
      confirmed_at: newer(momentOrNull, null),
      ended_at: newer(momentOrNull, null),
      soft_bounces: newer(value(z.int().min(0)), 0),
      last_bounce_at: newer(momentOrNull, null),
      ...createdAt,
    },
    key: ['id'],
    once: ['email'],
    label: 'email',
  },
  {
    name: 'purchases',
    table: 'purchases',
    columns: { ...id, ...fieldColumns(purchase.fields), ...createdAt },
    key: ['id'],
    label: 'buyer_email',
  },
  {
    name: 'enrollments',
    table: 'enrollments',
    columns: { ...id, ...fieldColumns(enrollment.fields), ...createdAt },
    key: ['id'],
    once: ['course_id', 'buyer_email'],
    label: 'buyer_email',
  },
  {
    name: 'testimonials',
    table: 'testimonials',
    columns: { ...id, ...fieldColumns(testimonial.fields), ...createdAt },
    key: ['id'],
    label: 'name',
  },
];
