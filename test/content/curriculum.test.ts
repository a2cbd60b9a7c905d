import { expect, test } from 'vitest';
import { maxCourseParts } from '../../shared/contract/features/curriculum.ts';
import { lesson as lessonResource } from '../../shared/contract/resources/curriculum.ts';
import { startApp } from '../support/app.ts';
import { addRecords } from '../support/attacks/attacker.ts';
import { failure } from '../support/http.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// Curriculum of a course: titles of its modules and lessons, in order.

async function startSite() {
  const app = await startApp();
  const key = await app.seed.key({ scopes: ['read:content'] });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const addCourse = async (title = 'Course') => (await studio.courses.create.mutate({ title })).id;
  const addModule = async (course_id: string, title: string, sort_order?: number) => {
    app.clock.advance({ ms: 1 });
    return (await studio.modules.create.mutate({ course_id, title, sort_order })).id;
  };
  const addLesson = async (module_id: string, title: string, sort_order?: number) => {
    app.clock.advance({ ms: 1 });
    return (await studio.lessons.create.mutate({ module_id, title, sort_order })).id;
  };
  return {
    ...app,
    key,
    studio,
    addCourse,
    addModule,
    addLesson,
    outline: (id: string) => app.get(`/api/v2/courses/${id}/curriculum`, { key }),
  };
}

/** Returns a string for each module: its title, followed by the titles of its lessons. */
async function titles(app: Awaited<ReturnType<typeof startSite>>, course: string) {
  const { modules } = (await app.outline(course)).body as {
    modules: { title: string; lessons: { title: string }[] }[];
  };
  return modules.map(({ title, lessons }) => [title, ...lessons.map((lesson) => lesson.title)].join(' '));
}

const updated = { status: 'updated' };
const notFound = { code: 'not_found', message: 'not found' };
const invalid = (message: string) => ({ code: 'validation_failed', message });

test('modules and lessons are sorted by sort_order, then by creation time', async () => {
  await using app = await startSite();
  const course_id = await app.addCourse();
  const last = await app.addModule(course_id, 'Last', 2);
  const first = await app.addModule(course_id, 'First', -1);
  const second = await app.addModule(course_id, 'Second');
  const third = await app.addModule(course_id, 'Third');
  const b = await app.addLesson(second, 'B', 5);
  const a = await app.addLesson(second, 'A', 1);
  const c = await app.addLesson(second, 'C', 5);
  expect(await app.outline(course_id)).toEqual({
    status: 200,
    body: {
      course_id,
      modules: [
        { id: first, title: 'First', sort_order: -1, lessons: [] },
        {
          id: second,
          title: 'Second',
          sort_order: 0,
          lessons: [
            { id: a, title: 'A', sort_order: 1 },
            { id: b, title: 'B', sort_order: 5 },
            { id: c, title: 'C', sort_order: 5 },
          ],
        },
        { id: third, title: 'Third', sort_order: 0, lessons: [] },
        { id: last, title: 'Last', sort_order: 2, lessons: [] },
      ],
    },
  });
});

test('a course without modules has an empty curriculum', async () => {
  await using app = await startSite();
  const course_id = await app.addCourse();
  expect(await app.outline(course_id)).toEqual({ status: 200, body: { course_id, modules: [] } });
});

test('the curriculum of a course that is not public returns not_found, except to the owner', async () => {
  await using app = await startSite();
  const id = await app.addCourse();
  for (const state of [
    { is_draft: true },
    { is_draft: false, visibility: 'private' },
    { visibility: 'unlisted' },
  ] as const) {
    await app.studio.courses.update.mutate({ id, ...state });
    expect(await app.outline(id)).toEqual(failure(404, 'not_found'));
    expect(await app.studio.curriculum.get.query({ course_id: id })).toEqual({ course_id: id, modules: [] });
  }
  await app.studio.courses.update.mutate({ id, visibility: 'public' });
  expect((await app.outline(id)).status).toBe(200);
});

test("an unknown course, a slug and another site's course return not_found", async () => {
  await using app = await startSite();
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site())).studio;
  const { id } = await theirs.courses.create.mutate({ title: 'Theirs' });
  await app.addCourse();
  for (const unknown of [id, 'a'.repeat(15), 'course', 'x']) {
    expect(await app.outline(unknown)).toEqual(failure(404, 'not_found'));
    expect(await refusal(app.studio.curriculum.get.query({ course_id: unknown }))).toEqual(notFound);
  }
});

test('the owner can read and change complete lessons', async () => {
  await using app = await startSite();
  const course_id = await app.addCourse();
  const module_id = await app.addModule(course_id, 'Module');
  const lesson = {
    title: 'Lesson',
    content: 'Body',
    video_url: 'https://video.example.com/1',
    sort_order: 3,
  };
  const { id } = await app.studio.lessons.create.mutate({ module_id, ...lesson });
  const listQuery = async () =>
    (await app.studio.curriculum.get.query({ course_id })).modules.map(({ lessons }) => lessons);
  const whole = () => app.studio.lessons.get.query({ id });
  expect(await listQuery()).toEqual([[{ id, module_id, title: 'Lesson', sort_order: 3, revision: 1 }]]);
  expect(await whole()).toMatchObject({ id, module_id, ...lesson, revision: 1 });
  expect(await app.studio.lessons.update.mutate({ id, content: 'New', video_url: null })).toEqual(updated);
  expect(await listQuery()).toEqual([[{ id, module_id, title: 'Lesson', sort_order: 3, revision: 2 }]]);
  expect(await whole()).toMatchObject({ ...lesson, content: 'New', video_url: '', revision: 2 });
  expect(await app.studio.lessons.delete.mutate({ id })).toEqual({ status: 'deleted' });
  expect(await listQuery()).toEqual([[]]);
  expect(await refusal(whole())).toEqual(notFound);
  expect(await refusal(app.studio.lessons.delete.mutate({ id }))).toEqual(notFound);
});

test('a lesson can move to another module, a module to another course', async () => {
  await using app = await startSite();
  const [one, two] = [await app.addCourse('One'), await app.addCourse('Two')];
  const [m, n] = [await app.addModule(one, 'M'), await app.addModule(one, 'N')];
  const lesson = await app.addLesson(m, 'L');
  await app.studio.lessons.update.mutate({ id: lesson, module_id: n });
  expect(await titles(app, one)).toEqual(['M', 'N L']);
  await app.studio.modules.update.mutate({ id: n, course_id: two });
  expect([await titles(app, one), await titles(app, two)]).toEqual([['M'], ['N L']]);
});

test('the parent of a module or lesson must exist on the same site', async () => {
  await using app = await startSite();
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site())).studio;
  const { id: theirCourse } = await theirs.courses.create.mutate({ title: 'Theirs' });
  const { id: theirModule } = await theirs.modules.create.mutate({ course_id: theirCourse, title: 'Theirs' });
  const missing = invalid('the parent record does not exist');
  for (const course_id of [theirCourse, 'a'.repeat(15)])
    expect(await refusal(app.addModule(course_id, 'M'))).toEqual(missing);
  for (const module_id of [theirModule, 'a'.repeat(15)])
    expect(await refusal(app.addLesson(module_id, 'L'))).toEqual(missing);
  const mine = await app.addModule(await app.addCourse(), 'M');
  expect(await refusal(app.studio.modules.update.mutate({ id: mine, course_id: theirCourse }))).toEqual(
    missing,
  );
});

test('deleting a course deletes its modules and lessons', async () => {
  await using app = await startSite();
  const course = await app.addCourse();
  const module = await app.addModule(course, 'M');
  const lesson = await app.addLesson(module, 'L');
  await app.studio.courses.delete.mutate({ id: course });
  expect(await refusal(app.studio.modules.update.mutate({ id: module, title: 'X' }))).toEqual(notFound);
  expect(await refusal(app.studio.lessons.update.mutate({ id: lesson, title: 'X' }))).toEqual(notFound);
});

test('reordering sorts modules and lessons by the given ids', async () => {
  await using app = await startSite();
  const course = await app.addCourse();
  const [a, b, c] = [
    await app.addModule(course, 'A', 7),
    await app.addModule(course, 'B', 7),
    await app.addModule(course, 'C', 9),
  ];
  const [x, y] = [await app.addLesson(a, 'x'), await app.addLesson(a, 'y')];
  expect(await app.studio.modules.reorder.mutate({ ids: [c, a, b] })).toEqual(updated);
  expect(await app.studio.lessons.reorder.mutate({ ids: [y, x] })).toEqual(updated);
  expect(await titles(app, course)).toEqual(['C', 'A y x', 'B']);
  const { modules } = (await app.outline(course)).body as { modules: { sort_order: number }[] };
  expect(modules.map(({ sort_order }) => sort_order)).toEqual([0, 1, 2]);
});

test('reordering must contain every record of one parent exactly once, otherwise nothing changes', async () => {
  await using app = await startSite();
  const [one, two] = [await app.addCourse('One'), await app.addCourse('Two')];
  const [a, b] = [await app.addModule(one, 'A', 1), await app.addModule(one, 'B', 2)];
  const [c, d] = [await app.addModule(two, 'C', 1), await app.addModule(two, 'D', 2)];
  const { reorder } = app.studio.modules;
  const each = invalid('ids: must contain all modules of one course_id, each exactly once');
  for (const ids of [[b], [b, b], [b, a, b], [b, a, c], [d, b, c, a]])
    expect([ids, await refusal(reorder.mutate({ ids }))]).toEqual([ids, each]);
  for (const ids of [
    [b, 'a'.repeat(15)],
    [b, a, 'x'],
  ])
    expect([ids, await refusal(reorder.mutate({ ids }))]).toEqual([ids, notFound]);
  expect(await refusal(reorder.mutate({ ids: [] }))).toEqual(invalid(expect.stringMatching(/^ids: /)));
  expect([await titles(app, one), await titles(app, two)]).toEqual([
    ['A', 'B'],
    ['C', 'D'],
  ]);
});

test('concurrent reorderings end with the order of one of them', async () => {
  await using app = await startSite();
  const course = await app.addCourse();
  const ids: string[] = [];
  for (const title of ['A', 'B', 'C', 'D']) ids.push(await app.addModule(course, title));
  const back = ids.toReversed();
  await Promise.all([ids, back, ids, back].map((order) => app.studio.modules.reorder.mutate({ ids: order })));
  const order = (await titles(app, course)).join('');
  expect(['ABCD', 'DCBA']).toContain(order);
});

test('a course has at most 1,000 modules and lessons, also with concurrent writes, moves and restores', async () => {
  await using app = await startSite();
  const [course, other] = [await app.addCourse('One'), await app.addCourse('Two')];
  const [m, n] = [await app.addModule(course, 'M'), await app.addModule(other, 'N')];
  const site = { deps: app.deps, siteId: await app.seed.ownSite() };
  const lesson = await app.addLesson(m, 'L');
  await app.studio.lessons.delete.mutate({ id: lesson });
  await addRecords(site, lessonResource, { count: maxCourseParts - 2, title: 'L', module_id: m });
  const full = expect.objectContaining({
    code: 'validation_failed',
    message: `a course has at most 1000 modules and lessons`,
  });
  const two = await Promise.allSettled([app.addLesson(m, 'Last'), app.addModule(course, 'Last')]);
  expect(two.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const theirs = await app.addLesson(n, 'Theirs');
  for (const add of [
    () => app.addLesson(m, 'More'),
    () => app.addModule(course, 'More'),
    () => app.studio.lessons.update.mutate({ id: theirs, module_id: m }),
    () => app.studio.modules.update.mutate({ id: n, course_id: course }),
    () => app.studio.trash.restore.mutate({ collection: 'lessons', id: lesson }),
  ])
    expect(await refusal(add())).toEqual(full);
  await app.studio.courses.delete.mutate({ id: course });
  await app.studio.trash.restore.mutate({ collection: 'courses', id: course });
  const { modules } = await app.studio.curriculum.get.query({ course_id: course });
  expect(modules.reduce((sum, { lessons }) => sum + 1 + lessons.length, 0)).toBe(maxCourseParts);
});

test('a course that exceeds the maximum can still be read, reordered and restored from the trash', async () => {
  await using app = await startSite();
  const course = await app.addCourse('Old');
  const module = await app.addModule(course, 'M');
  const site = { deps: app.deps, siteId: await app.seed.ownSite() };
  // Courses may exceed the maximum if they were filled before it was introduced.
  await app.deps.database.em.execute('alter table lessons disable trigger lessons_bound_new');
  await addRecords(site, lessonResource, { count: maxCourseParts + 200, title: 'L', module_id: module });
  await app.deps.database.em.execute('alter table lessons enable trigger lessons_bound_new');
  const lessons = async () =>
    (await app.studio.curriculum.get.query({ course_id: course })).modules.flatMap((one) =>
      one.lessons.map(({ id }) => id),
    );
  const ids = (await lessons()).toReversed();
  expect(ids).toHaveLength(maxCourseParts + 200);
  await app.studio.lessons.reorder.mutate({ ids });
  await app.studio.courses.delete.mutate({ id: course });
  await app.studio.trash.restore.mutate({ collection: 'courses', id: course });
  expect(await lessons()).toEqual(ids);
  expect(await refusal(app.addLesson(module, 'More'))).toMatchObject({ code: 'validation_failed' });
});
