import { z } from 'zod';
import { OwnCurriculum, Reorder } from '../../../shared/contract/curriculum.ts';
import { Updated } from '../../../shared/contract/envelopes.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { course } from '../../../shared/contract/resources/course.ts';
import { curriculumResources } from '../../../shared/contract/resources/index.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { collectionOf } from '../records/collection.ts';
import { getOwn } from '../records/own-reads.ts';
import { studioWrites } from '../records/studio.ts';
import { readWhole, reorder } from './store.ts';

const reorderOf = (
  of: { table: 'modules'; parent: 'course_id' } | { table: 'lessons'; parent: 'module_id' },
) =>
  ownerProcedure
    .meta({ unaudited: 'history' })
    .input(Reorder)
    .output(Updated)
    .mutation(async ({ ctx, input }) => {
      await reorder(ctx, { ...of, ids: input.ids });
      return { status: 'updated' as const };
    });

/** Modules and lessons, for the owner. */
export const curriculumStudio = {
  modules: router({
    ...studioWrites(curriculumResources.modules),
    reorder: reorderOf({ table: 'modules', parent: 'course_id' }),
  }),
  lessons: router({
    ...studioWrites(curriculumResources.lessons),
    reorder: reorderOf({ table: 'lessons', parent: 'module_id' }),
  }),
  curriculum: router({
    get: ownerProcedure
      .input(z.strictObject({ course_id: RecordId }))
      .output(OwnCurriculum)
      .query(async ({ ctx, input }) => {
        await getOwn(collectionOf(ctx, course), input.course_id);
        return readWhole(ctx.deps, ctx.siteId, input.course_id);
      }),
  }),
};
