import { z } from 'zod';
import { outputs } from '../../../shared/contract/fields.ts';
import { paging } from '../../../shared/contract/limits.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { SlugAddress } from '../../../shared/contract/record-id.ts';
import { course } from '../../../shared/contract/resources/course.ts';
import { keyProcedure } from '../../access/procedures.ts';
import { cachedRead } from '../../cache/cached-read.ts';
import { collectionOf, typedRows } from '../records/collection.ts';
import { getOne } from '../records/get-one.ts';
import { everything, listedRows } from '../records/listed-rows.ts';

/** A public course by its slug, for the public site: the API finds courses by their id. */
export const courseBySlug = keyProcedure
  .meta({ scope: 'read' })
  .concat(cachedRead(course.collection, z.object({ slug: SlugAddress })))
  .output(course.read)
  .query(({ ctx, input }) => getOne(ctx, course, input));

const { title, slug, description, difficulty, estimated_hours, access_tier, price } = course.fields;

/** What lists of courses show. */
const ListedCourse = z.strictObject(
  outputs({ title, slug, description, difficulty, estimated_hours, access_tier, price }),
);

/** The first courses in the order of their owner, the newest first where that says nothing. */
export const coursesInOrder = keyProcedure
  .meta({ scope: 'read' })
  .concat(cachedRead(course.collection, z.object({ limit: z.int().min(1).max(paging.cursor.max) })))
  .output(simpleList(ListedCourse))
  .query(async ({ ctx, input: { limit } }) => {
    const collection = collectionOf(ctx, course);
    const rows = await listedRows({ collection, audience: 'readers', conditions: everything })
      .select(namesOf(ListedCourse))
      .orderBy('sort_order')
      .orderBy('created', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return { data: typedRows<z.infer<typeof ListedCourse>>(rows) };
  });
