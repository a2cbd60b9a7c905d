import { z } from 'zod';
import { documented } from '../documented.ts';
import { dateTime, Email, type Field, reference } from '../fields.ts';
import { flagQuery } from '../filters.ts';
import { defineAudienceTable, emailField } from './audience-table.ts';

const course = reference('course');

const enrollmentSources = ['owner', 'purchase', 'member'] as const;

const Source = documented(
  z.enum(enrollmentSources),
  'Origin of the enrollment: the owner, a purchase, or the learner on the site. Only enrollments by the owner open a course',
  'owner',
);

const notOnCreate = ['completed_at', 'source', 'ended_at'] as const;

/** Learner in a course. `create` is the input of `studio.enrollments.create`. */
export const enrollment = defineAudienceTable({
  collection: 'enrollments',
  fields: {
    course_id: course,
    buyer_email: emailField('Email address of the learner'),
    completed_at: dateTime('Completion time of the course; null until it is completed'),
    source: {
      kind: 'choice',
      input: Source,
      output: Source,
      column: 'text',
      unset: 'owner',
      required: false,
    } as Field<z.infer<typeof Source>, z.infer<typeof Source>, false>,
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
