import { reference, requiredText, sortOrder } from '../fields.ts';
import { defineResource } from '../resource.ts';

/** A module of a course's curriculum: written by the owner over RPC only. */
export const module = defineResource({
  name: 'module',
  collection: 'modules',
  description: 'Parts of courses',
  partOf: { collection: 'courses', by: 'course_id' },
  fields: {
    course_id: reference('course'),
    title: requiredText(500, 'Title of the module', 'Reading query plans'),
    sort_order: sortOrder,
  },
});
