import { z } from 'zod';
import { documented } from '../documented.ts';
import { dateTime, reference } from '../fields.ts';
import { defineKind, emailField } from './kind.ts';

const course = reference('course');

/** Enrollment of a learner in a course. `create` is the input of `studio.enrollments.create`. */
export const enrollment = defineKind({
  collection: 'enrollments',
  fields: {
    course_id: course,
    buyer_email: emailField('Email address of the learner'),
    completed_at: dateTime('Completion time of the course; null until it is completed'),
  },
  later: ['completed_at'],
  searched: 'search',
  filters: {
    course_id: { input: course.input, is: 'equal', column: 'course_id' },
    completed: {
      input: documented(z.boolean(), 'True for completed enrollments only, false for the others only', true),
      is: 'set',
      column: 'completed_at',
    },
  },
});
