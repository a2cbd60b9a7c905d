import { z } from 'zod';
import { gate } from '../../../shared/content/gate.ts';
import { Updated } from '../../../shared/contract/envelopes.ts';
import { Curriculum, OwnCurriculum, Reorder } from '../../../shared/contract/features/curriculum.ts';
import { RecordId, SlugAddress } from '../../../shared/contract/record-id.ts';
import { GateReason } from '../../../shared/contract/resources/access-tier.ts';
import { course } from '../../../shared/contract/resources/course.ts';
import { curriculumResources } from '../../../shared/contract/resources/index.ts';
import { includeQuery } from '../../../shared/contract/sharing.ts';
import { keyProcedure, staffProcedure } from '../../api/access/procedures.ts';
import { get } from '../../api/access/route.ts';
import { found } from '../../api/api-error.ts';
import { cachedRead } from '../../api/cache/cached-read.ts';
import { router, updates } from '../../api/trpc.ts';
import { readerOfRecords, withReader } from '../posts/member-reader.ts';
import { getOwn } from '../records/owner-reads.ts';
import { findOne, getOne } from '../records/record-finder.ts';
import { studioGet, studioWrites } from '../records/studio-procedures.ts';
import { studioRevisions } from '../revisions/procedures.ts';
import { readOutline, readOwn, reorder } from './store.ts';

const reorderOf = (table: 'modules' | 'lessons') =>
  staffProcedure('content')
    .meta({ unaudited: 'history' })
    .input(Reorder)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => reorder(ctx, table, input.ids)));

const curriculumStudio = {
  modules: router({
    ...studioWrites(curriculumResources.modules),
    ...studioRevisions(curriculumResources.modules),
    reorder: reorderOf('modules'),
  }),
  lessons: router({
    get: studioGet(curriculumResources.lessons),
    ...studioWrites(curriculumResources.lessons),
    ...studioRevisions(curriculumResources.lessons),
    reorder: reorderOf('lessons'),
  }),
  curriculum: router({
    get: staffProcedure('content')
      .input(z.strictObject({ course_id: RecordId }))
      .output(OwnCurriculum)
      .query(async ({ ctx, input }) => {
        await getOwn({ ...ctx, resource: course }, input.course_id);
        return readOwn(ctx.deps, ctx.siteId, input.course_id);
      }),
  }),
};

/**
 * Finds a public course by its slug, for the public site. `gate_reason` states why its lessons are closed to the
 * reader; null if they are open.
 */
const courseBySlug = keyProcedure
  .meta({ scope: 'read' })
  .concat(withReader)
  .concat(cachedRead(course.collection, z.object({ slug: SlugAddress, ...includeQuery })))
  .output(z.strictObject({ record: course.read, gate_reason: GateReason.nullable() }))
  .query(async ({ ctx, input }) => {
    const record = await getOne(ctx, course, input);
    const reader = await readerOfRecords(ctx, course.collection, [record]);
    return { record, gate_reason: gate(course.collection, record, reader) };
  });

/** GET /v2/courses/{id}/curriculum: modules and lessons of a public course, without the lessons' bodies. */
export const curriculumV2 = get({
  path: '/v2/courses/{id}/curriculum',
  scope: 'read:content',
  tag: 'courses',
  mcp: { name: 'get_course_curriculum', resource: 'courses' },
  summary: "Get the outline of a course's modules and lessons",
})
  .meta({ reads: ['courses', 'modules', 'lessons'] })
  .input(z.object({ id: RecordId }))
  .output(Curriculum)
  .query(async ({ ctx, input }) => {
    found(await findOne(ctx, course, { id: input.id }));
    return readOutline(ctx.deps, ctx.siteId, input.id);
  });

export const curriculum = { studio: curriculumStudio, visitors: { course: courseBySlug } };
