import { z } from 'zod';
import { documented } from '../documented.ts';
import { dateTime, Email, optional, reference } from '../fields.ts';
import { flagQuery } from '../filters.ts';
import { defineAudienceTable, emailField } from './audience-table.ts';

const course = reference('course');

const Source = documented(
  z.enum(['owner', 'purchase', 'member']),
  'Origin of the enrollment: the owner, a purchase, or the learner on the site. Only enrollments by the owner open a course',
  'owner',
);

type Source = z.infer<typeof Source>;

const notOnCreate = ['completed_at', 'source', 'ended_at'] as const;

/** Learner in a course. `create` is the input of `studio.enrollments.create`. */
export const enrollment = defineAudienceTable({
  collection: 'enrollments',
  fields: {
    course_id: course,
    buyer_email: emailField('Email address of the learner'),
    completed_at: dateTime('Completion time of the course; null until it is completed'),
    source: optional<'choice', Source, Source>('choice', Source, Source, 'text', 'owner'),
    ended_at: dateTime('Time at which the owner ended the enrollment; null if it has not ended'),
  },
  later: notOnCreate,
  searched: 'search',
  filters: {
    course_id: { input: course.input, is: 'equal', column: 'course_id' },
    buyer_email: { input: Email, is: 'key', column: 'buyer_email' },
    completed: {
      input: documented(z.boolean(), 'True for completed enrollments only, false for the others only', true),
      is: 'set',
      column: 'completed_at',
    },
  },
});

/** Query options for listing enrollments over the API. */
export const ListEnrollments = enrollment.query
  .omit({ q: true })
  .extend({ completed: flagQuery('Only completed enrollments, or only the others') });
