import { z } from 'zod';
import { documented } from '../documented.ts';
import { dateTime, reference } from '../fields.ts';
import { defineKind, emailField } from './kind.ts';

const course = reference('course');

/** A learner in a course. What `create` takes is what an owner sends to `studio.enrollments.create`. */
export const enrollment = defineKind({
  collection: 'enrollments',
  fields: {
    course_id: course,
    buyer_email: emailField('E-mail address of the learner'),
    completed_at: dateTime('When the course was finished; null while it is not'),
  },
  later: ['completed_at'],
  searched: 'search',
  filters: {
    course_id: { input: course.input, is: 'equal', column: 'course_id' },
    completed: {
      input: documented(z.boolean(), 'Only those that are finished, or not', true),
      is: 'set',
      column: 'completed_at',
    },
  },
});
