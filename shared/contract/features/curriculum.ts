import { z } from 'zod';
import { titled } from '../documented.ts';
import { outputs } from '../fields.ts';
import { RevisionNumber } from '../history.ts';
import { RecordId } from '../record-id.ts';
import { lesson, module } from '../resources/curriculum.ts';

/** Modules and lessons that a course may be added to up to, together; `bound_course` of the migrations holds it. */
export const mostCourseParts = 1_000;

/** The constraint that PostgreSQL says a course would break with more than it may have. */
export const coursePartsCheck = 'course_parts_check';
export const tooManyCourseParts = `a course has at most ${mostCourseParts} modules and lessons`;

/** Modules or lessons that are shown and put in order at once. Courses that are older than the bound may have more than that. */
export const mostShownParts = 10_000;

const modules = outputs(module.fields);
const lessons = outputs(lesson.fields);

/** Titles and ordering only. A lesson's body has no place in it, so none can get out. */
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

/** The curriculum as the owner reads it. Bodies of lessons, of which there may be hundreds, are read one by one. */
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

/** The records of one parent, in their new order. */
export const Reorder = z.strictObject({
  ids: z
    .array(RecordId)
    .min(1)
    .max(mostShownParts)
    .describe('IDs of all records of one parent, in the new order'),
});
