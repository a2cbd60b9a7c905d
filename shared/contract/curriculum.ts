import { z } from 'zod';
import { outputs } from './fields.ts';
import { RevisionNumber } from './history.ts';
import { RecordId } from './record-id.ts';
import { lesson } from './resources/lesson.ts';
import { module } from './resources/module.ts';

const modules = outputs(module.fields);
const lessons = outputs(lesson.fields);

/** Titles and ordering only. A lesson's body has no place in it, so none can get out. */
export const Curriculum = z
  .strictObject({
    course_id: RecordId,
    modules: z
      .array(
        z.strictObject({
          id: RecordId,
          title: modules.title,
          sort_order: modules.sort_order,
          lessons: z
            .array(z.strictObject({ id: RecordId, title: lessons.title, sort_order: lessons.sort_order }))
            .meta({ description: 'Its lessons, in their order' }),
        }),
      )
      .meta({ description: 'Parts of the course, in their order' }),
  })
  .meta({ title: 'Curriculum' });

/** The whole curriculum, as the owner reads it. */
export const OwnCurriculum = z.strictObject({
  course_id: RecordId,
  modules: z.array(
    z.strictObject({
      id: RecordId,
      ...modules,
      revision: RevisionNumber,
      lessons: z.array(z.strictObject({ id: RecordId, ...lessons, revision: RevisionNumber })),
    }),
  ),
});

/** The records of one parent, in their new order. */
export const Reorder = z.strictObject({
  ids: z
    .array(RecordId)
    .min(1)
    .max(1_000)
    .meta({ description: 'All records of one parent, in their new order' }),
});
