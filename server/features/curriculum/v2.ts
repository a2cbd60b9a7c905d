import { z } from 'zod';
import { Curriculum } from '../../../shared/contract/curriculum.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { course } from '../../../shared/contract/resources/course.ts';
import { get } from '../../access/route.ts';
import { found } from '../../kernel/api-error.ts';
import { findOne } from '../records/reads.ts';
import { readOutline } from './store.ts';

/** GET /v2/courses/{id}/curriculum: of a public course, and never a lesson's body. */
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
