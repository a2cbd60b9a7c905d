import { z } from 'zod';
import { outputs } from '../../../shared/contract/fields.ts';
import { paging } from '../../../shared/contract/limits.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { SlugAddress } from '../../../shared/contract/record-id.ts';
import { course } from '../../../shared/contract/resources/course.ts';
import { included, includeQuery } from '../../../shared/contract/sharing.ts';
import { keyProcedure } from '../../access/procedures.ts';
import { cachedRead } from '../../cache/cached-read.ts';
import { collectionOf, typedRows } from '../records/collection.ts';
import { getOne } from '../records/get-one.ts';
import { includedColumns, including } from '../records/included.ts';
import { everything, listedRows } from '../records/listed-rows.ts';

/** A public course by its slug, for the public site: the API finds courses by their id. */
export const courseBySlug = keyProcedure
  .meta({ scope: 'read' })
  .concat(cachedRead(course.collection, z.object({ slug: SlugAddress, ...includeQuery })))
  .output(course.read)
  .query(({ ctx, input }) => getOne(ctx, course, input));

const { title, slug, description, difficulty, estimated_hours, access_tier, price } = course.fields;

/** What lists of courses show. */
const ListedCourse = z.strictObject({
  ...outputs({ title, slug, description, difficulty, estimated_hours, access_tier, price }),
  ...included,
});

const listedNames = keysOf(ListedCourse.shape).filter((name) => !(name in included));

/** The first courses in the order of their owner, the newest first where that says nothing. */
export const coursesInOrder = keyProcedure
  .meta({ scope: 'read' })
  .concat(
    cachedRead(
      course.collection,
      z.object({ limit: z.int().min(1).max(paging.cursor.max), ...includeQuery }),
    ),
  )
  .output(simpleList(ListedCourse))
  .query(async ({ ctx, input: { limit, include } }) => {
    const collection = collectionOf(ctx, course);
    const rows = await listedRows({ collection, audience: 'readers', conditions: everything })
      .select([...listedNames, ...includedColumns(include)])
      .orderBy('sort_order')
      .orderBy('created', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return { data: typedRows<z.infer<typeof ListedCourse>>(await including(collection, rows, include)) };
  });
