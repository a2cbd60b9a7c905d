import { z } from 'zod';
import { SlugAddress } from '../../../shared/contract/record-id.ts';
import { course } from '../../../shared/contract/resources/course.ts';
import { keyProcedure } from '../../access/procedures.ts';
import { cachedRead } from '../../cache/cached-read.ts';
import { getOne } from '../records/get-one.ts';

/** A public course by its slug, for the public site: the API finds courses by their id. */
export const courseBySlug = keyProcedure
  .meta({ scope: 'read' })
  .concat(cachedRead(course.collection, z.object({ slug: SlugAddress })))
  .output(course.read)
  .query(({ ctx, input }) => getOne(ctx, course, input));
