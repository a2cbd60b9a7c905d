import { labelled, reference, requiredText, sortOrder } from '../fields.ts';
import { defineResource } from '../resource.ts';

/** A module of a course's curriculum: written by the owner over RPC only. */
export const module = defineResource({
  name: 'module',
  collection: 'modules',
  description: 'Modules of courses',
  words: { lead: 'Parts of your courses.', begin: 'A module is a part of the course that contains lessons.' },
  partOf: { collection: 'courses', by: 'course_id' },
  fields: {
    course_id: labelled('Course', reference('course'), 'The course that contains it.'),
    title: labelled('Title', requiredText(500, 'Title of the module', 'Reading query plans')),
    sort_order: sortOrder,
  },
});
