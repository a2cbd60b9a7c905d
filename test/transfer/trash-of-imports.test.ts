import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { purge } from '../../shared/content/trash/trash.ts';
import { startApp } from '../support/app.ts';
import { archiveOf, importBytes } from '../support/archives.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// A record in the trash can be imported again. It then exists twice: as the imported record, and in the trash
// as it was deleted.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const siteId = await app.seed.ownSite();
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());

/** Deletes a module with a lesson, and imports them from an archive that is older than their last change. */
async function importAgain() {
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Sailing' });
  const { id: module_id } = await studio.modules.create.mutate({ course_id, title: 'Knots' });
  const { id: lesson } = await studio.lessons.create.mutate({ module_id, title: 'Bowline', content: 'Old' });
  const archive = await archiveOf(app, siteId);
  await studio.lessons.update.mutate({ id: lesson, content: 'New' });
  await studio.modules.update.mutate({ id: module_id, title: 'All knots' });
  await studio.modules.delete.mutate({ id: module_id });
  await importBytes(app, archive, { siteId });
  const titles = async () => {
    const { modules } = await studio.curriculum.get.query({ course_id });
    return modules.map(({ title, lessons }) => [title, ...lessons.map((own) => own.title)]);
  };
  return { module: { collection: 'modules', id: module_id } as const, lesson, titles };
}

test('a deleted record that an import created again can be changed, deleted, and restored in its last state', async () => {
  const { module, lesson, titles } = await importAgain();
  expect(await titles()).toEqual([['Knots', 'Bowline']]);
  await studio.lessons.update.mutate({ id: lesson, title: 'Bowline knot' });
  await studio.modules.delete.mutate({ id: module.id });
  expect(await titles()).toEqual([]);
  const { items } = await studio.trash.list.query({ collection: 'modules' });
  expect(items.filter(({ id }) => id === module.id)).toMatchObject([{ title: 'Knots' }]);
  await studio.trash.restore.mutate(module);
  expect(await titles()).toEqual([['Knots', 'Bowline knot']]);
  await studio.modules.delete.mutate({ id: module.id });
  await studio.trash.purge.mutate(module);
  const left = await app.deps.database.em
    .fork()
    .execute('select from record_revisions where record_id in (?, ?)', [module.id, lesson]);
  expect(left).toEqual([]);
});

test('a trashed record cannot be restored while the record that an import created again exists, and stays in the trash', async () => {
  const { module, titles } = await importAgain();
  expect(await refusal(studio.trash.restore.mutate(module))).toEqual({
    code: 'validation_failed',
    message: 'id: a record with this id already exists',
  });
  const { items } = await studio.trash.list.query({ collection: 'modules' });
  expect(items.filter(({ id }) => id === module.id)).toMatchObject([{ title: 'All knots' }]);
  expect(await titles()).toEqual([['Knots', 'Bowline']]);
});

test('purging a trashed record keeps the history of the record that an import created again', async () => {
  const { module, lesson } = await importAgain();
  await studio.modules.update.mutate({ id: module.id, title: 'Knots again' });
  await studio.lessons.update.mutate({ id: lesson, title: 'Bowline again' });
  await studio.trash.purge.mutate(module);
  const kept = await app.deps.database.em
    .fork()
    .execute<{ record_id: string }[]>(
      'select distinct record_id from record_revisions where record_id in (?, ?)',
      [module.id, lesson],
    );
  expect(kept.map(({ record_id }) => record_id).toSorted()).toEqual([module.id, lesson].toSorted());
});

test('a module that was deleted separately after an import stays in the trash when its course is restored', async () => {
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Rowing' });
  const { id } = await studio.modules.create.mutate({ course_id, title: 'Oars' });
  const archive = await archiveOf(app, siteId);
  await studio.courses.delete.mutate({ id: course_id });
  await importBytes(app, archive, { siteId });
  await studio.modules.delete.mutate({ id });
  await studio.courses.delete.mutate({ id: course_id });
  await studio.trash.restore.mutate({ collection: 'courses', id: course_id });
  expect((await studio.curriculum.get.query({ course_id })).modules).toEqual([]);
  await studio.trash.restore.mutate({ collection: 'modules', id });
  expect((await studio.curriculum.get.query({ course_id })).modules).toMatchObject([{ title: 'Oars' }]);
});

test('purging a trashed record keeps its history while the trash contains another copy, deleted before or after an import', async () => {
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Surfing' });
  const { id } = await studio.modules.create.mutate({ course_id, title: 'Boards' });
  await studio.modules.update.mutate({ id, title: 'All boards' });
  const archive = await archiveOf(app, siteId);
  const course = { collection: 'courses', id: course_id } as const;
  const module = { collection: 'modules', id } as const;
  // Deletes the module alone, and after the import as a part of its course.
  await studio.modules.delete.mutate({ id });
  await importBytes(app, archive, { siteId });
  await studio.courses.delete.mutate({ id: course_id });
  await studio.trash.purge.mutate(module);
  await studio.trash.restore.mutate(course);
  expect((await studio.modules.revisions.query({ id })).total).toBeGreaterThan(0);
  // Deletes it as a part, then after the import alone, and the course again.
  await studio.courses.delete.mutate({ id: course_id });
  await importBytes(app, archive, { siteId });
  await studio.modules.delete.mutate({ id });
  await studio.courses.delete.mutate({ id: course_id });
  await studio.trash.restore.mutate(course);
  await studio.trash.restore.mutate(module);
  expect((await studio.modules.revisions.query({ id })).total).toBeGreaterThan(0);
  await studio.courses.delete.mutate({ id: course_id });
  await studio.trash.purge.mutate(course);
  const left = await app.deps.database.em
    .fork()
    .execute('select from record_revisions where record_id in (?, ?)', [course_id, id]);
  expect(left).toEqual([]);
});

test('concurrent purges of two trashed copies of a record delete its history', async () => {
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Diving' });
  const { id } = await studio.modules.create.mutate({ course_id, title: 'Air' });
  const archive = await archiveOf(app, siteId);
  await studio.modules.delete.mutate({ id });
  await importBytes(app, archive, { siteId });
  await studio.courses.delete.mutate({ id: course_id });
  const { em } = app.deps.database;
  const purgeOne = (inside: typeof em, one: string) => purge(inside, { siteId, where: sql`id = ${one}` });
  const theOther = await em.fork().transactional(async (inside) => {
    await purgeOne(inside, id);
    const whole = em.fork().transactional((other) => purgeOne(other, course_id));
    await Promise.race([whole, untilSomebodyWaits()]);
    return { whole };
  });
  expect(await theOther.whole).toBe(1);
  expect(await em.fork().execute('select from record_revisions where record_id = ?', [id])).toEqual([]);
});

/** Resolves when one transaction waits for an advisory lock of another. */
const untilSomebodyWaits = () =>
  expect
    .poll(() =>
      app.deps.database.em
        .fork()
        .execute(
          `select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
        ),
    )
    .toHaveLength(1);
