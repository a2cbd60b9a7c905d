import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { storedFrom } from '../../shared/content/trash/parts.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { startApp } from '../support/app.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// A course is moved to the trash and restored together with its modules and lessons.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());

const addCourse = async (title = 'Course') => (await studio.courses.create.mutate({ title })).id;
const addModule = async (course_id: string, title = 'Module') =>
  (await studio.modules.create.mutate({ course_id, title })).id;
const addLesson = async (module_id: string, title = 'Lesson') =>
  (await studio.lessons.create.mutate({ module_id, title, content: 'Body' })).id;

test('restoring a course restores its modules and lessons, except those that were deleted before it', async () => {
  const course = await addCourse('Whole');
  const [m, n] = [await addModule(course, 'M'), await addModule(course, 'N')];
  await studio.modules.update.mutate({ id: n, sort_order: 1 });
  const [l, k] = [await addLesson(m, 'L'), await addLesson(n, 'K')];
  await studio.lessons.update.mutate({ id: l, content: 'Better' });
  await studio.modules.delete.mutate({ id: n });
  const before = await studio.curriculum.get.query({ course_id: course });
  await studio.courses.delete.mutate({ id: course });
  expect((await studio.trash.list.query({ collection: 'lessons' })).total).toBe(0);
  expect(await refusal(studio.trash.restore.mutate({ collection: 'modules', id: n }))).toEqual({
    code: 'validation_failed',
    message: 'course_id: the parent record is in the trash: restore it first',
  });
  await studio.trash.restore.mutate({ collection: 'courses', id: course });
  expect(await studio.curriculum.get.query({ course_id: course })).toEqual(before);
  expect(await studio.lessons.get.query({ id: l })).toMatchObject({ content: 'Better' });
  expect(await studio.lessons.getRevision.query({ id: l, revision: 1 })).toMatchObject({ content: 'Body' });
  await studio.trash.restore.mutate({ collection: 'modules', id: n });
  const { modules } = await studio.curriculum.get.query({ course_id: course });
  expect(modules.map(({ id, lessons }) => [id, ...lessons.map((lesson) => lesson.id)])).toEqual([
    [m, l],
    [n, k],
  ]);
  await studio.courses.delete.mutate({ id: course });
  await studio.trash.purge.mutate({ collection: 'courses', id: course });
  const left = await app.deps.database.em
    .fork()
    .execute('select from record_revisions where record_id in (?, ?, ?, ?, ?)', [course, m, n, l, k]);
  expect(left).toEqual([]);
});

test('restoring a lesson is refused while its module is in the trash with its course, and works afterwards', async () => {
  const course = await addCourse();
  const lesson = await addLesson(await addModule(course));
  await studio.lessons.delete.mutate({ id: lesson });
  await studio.courses.delete.mutate({ id: course });
  const restore = () => studio.trash.restore.mutate({ collection: 'lessons', id: lesson });
  expect(await refusal(restore())).toEqual({
    code: 'validation_failed',
    message:
      'module_id: the parent record is in the trash as part of another record: restore that record first',
  });
  await studio.trash.restore.mutate({ collection: 'courses', id: course });
  expect(await restore()).toEqual({ status: 'restored' });
});

test('restoring a lesson whose module was purged is refused, and the lesson stays in the trash', async () => {
  const module = await addModule(await addCourse());
  const lesson = await addLesson(module);
  await studio.lessons.delete.mutate({ id: lesson });
  await studio.modules.delete.mutate({ id: module });
  await studio.trash.purge.mutate({ collection: 'modules', id: module });
  expect(await refusal(studio.trash.restore.mutate({ collection: 'lessons', id: lesson }))).toEqual({
    code: 'validation_failed',
    message: 'module_id: the parent record no longer exists',
  });
  expect((await studio.trash.list.query({ collection: 'lessons' })).total).toBe(1);
  await studio.trash.purge.mutate({ collection: 'lessons', id: lesson });
});

test('a lesson that is written while its course is deleted is moved to the trash with it, or refused', async () => {
  for (let round = 0; round < 20; round++) {
    const course = await addCourse();
    const module = await addModule(course);
    const kept = await addLesson(module, 'Kept');
    const [added, changed] = await Promise.allSettled([
      addLesson(module, 'Added'),
      studio.lessons.update.mutate({ id: kept, title: 'Changed' }),
      studio.courses.delete.mutate({ id: course }),
    ]);
    await studio.trash.restore.mutate({ collection: 'courses', id: course });
    const { modules } = await studio.curriculum.get.query({ course_id: course });
    const titles = modules.flatMap(({ lessons }) => lessons.map(({ title }) => title)).toSorted();
    const expected = [
      ...(added?.status === 'fulfilled' ? ['Added'] : []),
      changed?.status === 'fulfilled' ? 'Changed' : 'Kept',
    ];
    expect([round, titles]).toEqual([round, expected]);
  }
});

test('a course can be deleted while its modules are reordered', async () => {
  for (let round = 0; round < 20; round++) {
    const course = await addCourse();
    const ids = [];
    for (let module = 0; module < 4; module++) ids.push(await addModule(course));
    const [reordered, deleted] = await Promise.allSettled([
      studio.modules.reorder.mutate({ ids: ids.toReversed() }),
      studio.courses.delete.mutate({ id: course }),
    ]);
    expect([round, deleted.status]).toEqual([round, 'fulfilled']);
    if (reordered.status === 'rejected')
      expect(reordered.reason).toMatchObject({ data: { code: 'not_found' } });
  }
});

test("a lesson's text is moved to the trash in its stored form and restored, also from the trash of an older version", async () => {
  const course = await addCourse();
  const module_id = await addModule(course);
  const content = 'word '.repeat(100_000);
  const { id } = await studio.lessons.create.mutate({ module_id, title: 'Lesson', content });
  await studio.courses.delete.mutate({ id: course });
  const em = app.deps.database.em.fork();
  const part = 'from trash_parts where id = ?';
  // PostgreSQL does not compress new values of this column, so a compressed value was moved unchanged.
  const [stored] = await em.execute(`select pg_column_compression(content) as compression ${part}`, [id]);
  expect(stored).toEqual({ compression: 'pglz' });

  // During an upgrade an older server may still run. It must fail instead of restoring the lesson without its text.
  const before = storedFrom('lessons', { source: sql`from trash_parts t`, record: sql`t.record` });
  await expect(sql`${before} where t.id = ${id}`.execute(em.getKysely())).rejects.toThrow(
    'null value in column "id"',
  );
  await studio.trash.restore.mutate({ collection: 'courses', id: course });
  expect(await studio.lessons.get.query({ id })).toMatchObject({ id, content });

  await studio.courses.delete.mutate({ id: course });
  await em.execute(
    `update trash_parts set record = record || jsonb_build_object('id', id, 'content', content), content = null where id = ?`,
    [id],
  );
  await studio.trash.restore.mutate({ collection: 'courses', id: course });
  expect(await studio.lessons.get.query({ id })).toMatchObject({ id, content });
});

test('a course of 560 lessons of 500 KB can be deleted, restored and purged within the timeout of a request', async () => {
  const course = await addCourse('Large');
  const module = await addModule(course);
  const first = await addLesson(module, 'First');
  // A connection of its own, because the statement timeout of the server is too short for this setup.
  await using database = await openDatabase({
    url: app.databaseUrl,
    poolSize: 1,
    applicationName: 'large-course',
  });
  await database.em.execute(
    `insert into lessons (site_id, id, module_id, title, content, video_url, sort_order, created, updated, revision)
     select site_id, 'large' || n, module_id, title, repeat('word ', 100000), video_url, n, created, updated, revision
     from lessons, generate_series(1, 560) as n where id = ?`,
    [first],
  );
  const count = async () =>
    (await database.em.execute('select from lessons where module_id = ?', [module])).length;
  expect(await studio.courses.delete.mutate({ id: course })).toEqual({ status: 'deleted' });
  expect(await count()).toBe(0);
  expect(await studio.trash.restore.mutate({ collection: 'courses', id: course })).toMatchObject({
    status: 'restored',
  });
  expect(await count()).toBe(561);
  const whole = `select from lessons where module_id = ? and content = repeat('word ', 100000)`;
  expect(await database.em.execute(whole, [module])).toHaveLength(560);
  await studio.courses.delete.mutate({ id: course });
  await studio.trash.purge.mutate({ collection: 'courses', id: course });
  expect(await database.em.execute('select from trash_parts where whole_id = ?', [course])).toEqual([]);
});
