import { z } from 'zod';
import { titled } from '../documented.ts';
import { outputs } from '../fields.ts';
import { RevisionNumber } from '../history.ts';
import { RecordId } from '../record-id.ts';
import { lesson, module } from '../resources/curriculum.ts';

/** Maximum number of modules and lessons of a course together. `bound_course` of the migrations enforces it. */
export const maxCourseParts = 1_000;

/** Name of the constraint in PostgreSQL's error if a course would exceed the maximum. */
export const coursePartsCheck = 'course_parts_check';
export const tooManyCourseParts = `a course has at most ${maxCourseParts} modules and lessons`;

/**
 * Maximum number of modules, and of lessons, that are listed and reordered. Courses from before the limit
 * `maxCourseParts` may have more than that.
 */
export const maxShownParts = 10_000;

const modules = outputs(module.fields);
const lessons = outputs(lesson.fields);

/**
 * Public curriculum of a course: titles and order only. It has no field for the body of a lesson, so none can become
 * public.
 */
export const Curriculum = titled('Curriculum', {
  course_id: RecordId,
  modules: z
    .array(
      z.strictObject({
        id: RecordId,
        title: modules.title,
        sort_order: modules.sort_order,
        lessons: z
          .array(z.strictObject({ id: RecordId, title: lessons.title, sort_order: lessons.sort_order }))
          .describe('Lessons of the module, in order'),
      }),
    )
    .describe('Modules of the course, in order'),
});

/**
 * Curriculum as people who work on the site read it. Bodies of lessons are read one at a time, because a course may have
 * hundreds.
 */
export const OwnCurriculum = z.strictObject({
  course_id: RecordId,
  modules: z.array(
    z.strictObject({
      id: RecordId,
      ...modules,
      revision: RevisionNumber,
      lessons: z.array(
        z.strictObject({
          id: RecordId,
          module_id: lessons.module_id,
          title: lessons.title,
          sort_order: lessons.sort_order,
          revision: RevisionNumber,
        }),
      ),
    }),
  ),
});

/** Input for reordering: the IDs of all records of one parent, in their new order. */
export const Reorder = z.strictObject({
  ids: z
    .array(RecordId)
    .min(1)
    .max(maxShownParts)
    .describe('IDs of all records of one parent, in the new order'),
});
