import { sql } from 'kysely';
import { setOrder } from '../../../shared/content/records.ts';
import { maxShownParts } from '../../../shared/contract/features/curriculum.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { module } from '../../../shared/contract/resources/curriculum.ts';
import { allResources } from '../../../shared/contract/resources/index.ts';
import type { Database } from '../../../shared/db/config.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { requireOwnWork } from '../records/author-rights.ts';
import type { WrittenCollection } from '../records/collection.ts';

/**
 * Returns IDs, titles and positions of a course's modules and lessons, in their order and without bodies. `modules` is
 * empty for an unknown course.
 */
export async function readOutline({ database }: Deps, siteId: string, courseId: string) {
  const parts = inOrder(database, siteId, courseId);
  const modules = await parts.modules.select(['id', 'title', 'sort_order']).execute();
  const lessons = await parts.lessons.select(['id', 'module_id', 'title', 'sort_order']).execute();
  const byModule = Map.groupBy(lessons, ({ module_id }) => module_id);
  const outline = modules.map((module) => ({
    ...module,
    lessons: (byModule.get(module.id) ?? []).map(({ id, title, sort_order }) => ({ id, title, sort_order })),
  }));
  return { course_id: courseId, modules: outline };
}

/**
 * Returns a course's modules and lessons with revisions, for its owner. Lessons have no bodies. `modules` is empty for an
 * unknown course.
 */
export async function readOwn({ database }: Deps, siteId: string, courseId: string) {
  const parts = inOrder(database, siteId, courseId);
  const modules = await parts.modules.select(['id', ...keysOf(module.fields), 'revision']).execute();
  const lessons = await parts.lessons
    .select(['id', 'module_id', 'title', 'sort_order', 'revision'])
    .execute();
  const byModule = Map.groupBy(lessons, ({ module_id }) => module_id);
  return {
    course_id: courseId,
    modules: modules.map((module) => ({ ...module, lessons: byModule.get(module.id) ?? [] })),
  };
}

function inOrder({ em }: Database, siteId: string, courseId: string) {
  const db = em.getKysely();
  const modules = db.selectFrom('modules').where('site_id', '=', siteId).where('course_id', '=', courseId);
  const lessons = db
    .selectFrom('lessons')
    .where('site_id', '=', siteId)
    .where('module_id', 'in', modules.select('id'));
  return {
    modules: modules.orderBy('sort_order').orderBy('created').orderBy('id').limit(maxShownParts),
    lessons: lessons.orderBy('sort_order').orderBy('created').orderBy('id').limit(maxShownParts),
  };
}

const parents = { modules: 'course_id', lessons: 'module_id' } as const;

/**
 * Sets the positions of all modules of a course, or all lessons of a module, to the order of `ids`. Throws `not_found` if
 * one of them does not exist, and `validation_failed` if `ids` are not all records of one parent, each once. Throws
 * `insufficient_role` if the caller may write only own drafts, and the course is not one.
 */
export async function reorder(
  { deps, siteId, actor, onlyOwn }: Pick<WrittenCollection, 'deps' | 'siteId' | 'actor' | 'onlyOwn'>,
  table: keyof typeof parents,
  ids: string[],
) {
  const parent = parents[table];
  const unique = new Set(ids).size;
  await inTransaction(deps, siteId, async (em) => {
    const { rows } = await sql<{ parent: string; known: boolean }>`
      select ${sql.ref(parent)} as parent, id = any(${ids}) as known from ${sql.table(table)}
      where site_id = ${siteId} and ${sql.ref(parent)} in
        (select ${sql.ref(parent)} from ${sql.table(table)} where site_id = ${siteId} and id = any(${ids}))
      order by id for update`.execute(em.getKysely());
    if (rows.filter(({ known }) => known).length < unique) throw new ApiError('not_found');
    const hasSeveralParents = new Set(rows.map((row) => row.parent)).size > 1;
    if (hasSeveralParents || rows.length > unique || ids.length > unique)
      throw new ApiError(
        'validation_failed',
        `ids: must contain all ${table} of one ${parent}, each exactly once`,
      );
    const resource = allResources[table];
    await requireOwnWork(em, { siteId, actor, onlyOwn, resource }, { [parent]: rows[0]?.parent });
    await setOrder(em, { deps, siteId, resource, actor }, { ids, values: ids.map((_, index) => index) });
  });
}
