import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { anyId, anyTimestamp } from '../support/matchers.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// Enrollments over REST and in the studio: creating, completing, ending and listing them.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const key = await app.seed.key({ scopes: ['read:learners', 'write:learners'] });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const theirs = await app.seed.site();
const theirKey = await app.seed.key({ siteId: theirs, scopes: ['read:learners', 'write:learners'] });

const run = <Row>(text: string, values: unknown[] = []) =>
  app.deps.database.em.fork().execute<Row[]>(text, values);

/** Names of the events about an enrollment, oldest first. */
const eventsOf = async (id: string) =>
  (
    await run<{ name: string }>(
      `select name from events where body::json -> 'data' ->> 'id' = ? order by occurred_at, id`,
      [id],
    )
  ).map(({ name }) => name);

async function makeCourse(lessons: number, values: { is_draft?: boolean } = {}) {
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Course', ...values });
  const { id: module_id } = await studio.modules.create.mutate({ course_id, title: 'Module' });
  const ids: string[] = [];
  for (let n = 0; n < lessons; n += 1)
    ids.push((await studio.lessons.create.mutate({ module_id, title: `Lesson ${n}`, sort_order: n })).id);
  return { course_id, lessons: ids };
}

function create(course_id: string, buyer_email: string, by = key) {
  // Lists come newest first.
  app.clock.advance({ ms: 1 });
  return app.post('/api/v2/enrollments', { key: by, body: { course_id, buyer_email } });
}

const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id;
const act = (id: string, action: 'complete' | 'end', by = key) =>
  app.post(`/api/v2/enrollments/${id}/${action}`, { key: by });
const list = async (query: string) =>
  (await app.get(`/api/v2/enrollments?${query}`, { key })).body as {
    items: { id: string; source: string; ended_at: string | null }[];
    total: number;
  };
const read = async (course_id: string, id: string) =>
  (await list(`course_id=${course_id}`)).items.find((item) => item.id === id);

const markDone = (enrollment: string, lesson: string) =>
  run(
    `insert into lesson_progress (site_id, enrollment_id, lesson_id, done_at)
      select site_id, id, ?, now() from enrollments where id = ?`,
    [lesson, enrollment],
  );

test('creating an enrollment answers 201 with its event, and 200 without one from then on', async () => {
  const { course_id } = await makeCourse(2, { is_draft: true });
  const first = await create(course_id, 'Grace@Example.com');
  expect(first).toEqual({ status: 201, body: { id: anyId, created: anyTimestamp } });
  const id = idOf(first);
  app.clock.advance({ minutes: 1 });
  expect(await create(course_id, 'grace@example.com')).toEqual({ ...first, status: 200 });
  expect(await studio.enrollments.create.mutate({ course_id, buyer_email: 'grace@example.com' })).toEqual({
    id,
    created: expect.any(Date),
  });
  expect(await eventsOf(id)).toEqual(['course.enrolled']);
  expect(await read(course_id, id)).toEqual({
    ...{ id, course_id, buyer_email: 'grace@example.com', source: 'owner', done: 0, of: 2 },
    ...{ completed_at: null, ended_at: null, created: anyTimestamp },
  });
});

test('when the owner enrolls a buyer again, an ended enrollment resumes with the source `owner`, without an event', async () => {
  const { course_id } = await makeCourse(1);
  const buyer_email = 'buyer@example.com';
  const bought = { content_type: 'courses', content_id: course_id, amount: 5, currency: 'EUR' } as const;
  await studio.purchases.record.mutate({ buyer_email, ...bought });
  const [bySale] = (await list(`course_id=${course_id}`)).items;
  expect(bySale).toMatchObject({ source: 'purchase', ended_at: null });
  const id = bySale?.id ?? '';
  await act(id, 'end');
  expect(await read(course_id, id)).toMatchObject({ source: 'purchase', ended_at: anyTimestamp });
  // Another purchase does not resume it.
  await studio.purchases.record.mutate({ buyer_email, ...bought });
  expect(await read(course_id, id)).toMatchObject({ source: 'purchase', ended_at: anyTimestamp });
  expect(await create(course_id, buyer_email)).toMatchObject({ status: 200, body: { id } });
  expect(await read(course_id, id)).toMatchObject({ source: 'owner', ended_at: null });
  expect(await eventsOf(id)).toEqual(['course.enrolled']);
});

test('concurrent enrollments of one learner create one row and one event', async () => {
  const { course_id } = await makeCourse(0);
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(course_id, 'once@example.com')));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(answers.map(idOf)).size).toBe(1);
  expect((await list(`course_id=${course_id}`)).total).toBe(1);
  expect(await eventsOf(idOf(answers[0] ?? { body: {} }))).toEqual(['course.enrolled']);
});

test('an enrollment of any source can be completed and ended, each once, and only completing it fires an event', async () => {
  const { course_id } = await makeCourse(1);
  for (const source of ['owner', 'purchase', 'member']) {
    const id = idOf(await create(course_id, `${source}@example.com`));
    await run('update enrollments set source = ? where id = ?', [source, id]);
    expect(await act(id, 'end')).toEqual({ status: 200, body: { status: 'updated' } });
    const ended = await read(course_id, id);
    expect(ended).toMatchObject({ source, ended_at: anyTimestamp, completed_at: null });
    app.clock.advance({ minutes: 1 });
    expect(await act(id, 'end')).toEqual({ status: 200, body: { status: 'updated' } });
    expect(await read(course_id, id)).toEqual(ended);
    expect(await act(id, 'complete')).toEqual({ status: 200, body: { status: 'updated' } });
    const completed = await read(course_id, id);
    expect(completed).toEqual({ ...ended, completed_at: anyTimestamp });
    app.clock.advance({ minutes: 1 });
    await studio.enrollments.complete.mutate({ id });
    await studio.enrollments.end.mutate({ id });
    expect(await read(course_id, id)).toEqual(completed);
    expect(await eventsOf(id)).toEqual(['course.enrolled', 'course.completed']);
  }
});

test('progress counts the current lessons of the course, and no lesson in the trash or of another course', async () => {
  const { course_id, lessons } = await makeCourse(3);
  const other = await makeCourse(2);
  const [first = '', second = ''] = lessons;
  const id = idOf(await create(course_id, 'progress@example.com'));
  const idle = idOf(await create(course_id, 'idle@example.com'));
  const elsewhere = idOf(await create(other.course_id, 'progress@example.com'));
  for (const lesson of [first, second, other.lessons[0] ?? '']) await markDone(id, lesson);
  await markDone(elsewhere, other.lessons[0] ?? '');
  const progress = async (enrollment: string) =>
    (await list('buyer_email=progress@example.com')).items.find((item) => item.id === enrollment);
  expect(await progress(id)).toMatchObject({ done: 2, of: 3 });
  expect(await progress(elsewhere)).toMatchObject({ done: 1, of: 2 });
  expect(await read(course_id, idle)).toMatchObject({ done: 0, of: 3 });
  await studio.lessons.delete.mutate({ id: first });
  expect(await progress(id)).toMatchObject({ done: 1, of: 2 });
  await studio.trash.restore.mutate({ collection: 'lessons', id: first });
  expect(await progress(id)).toMatchObject({ done: 2, of: 3 });
  expect((await studio.enrollments.list.query({ course_id })).items).toMatchObject([
    { id: idle, done: 0, of: 3 },
    { id, done: 2, of: 3 },
  ]);
});

test('a list is filtered by course, learner and completion', async () => {
  const { course_id } = await makeCourse(0);
  const done = idOf(await create(course_id, 'done@example.com'));
  const open = idOf(await create(course_id, 'open@example.com'));
  await act(done, 'complete');
  const ids = async (query: string) =>
    (await list(`course_id=${course_id}&${query}`)).items.map(({ id }) => id);
  expect(await ids('')).toEqual([open, done]);
  expect(await ids('completed=true')).toEqual([done]);
  expect(await ids('completed=false')).toEqual([open]);
  expect(await ids('buyer_email=OPEN@example.com')).toEqual([open]);
  expect(await ids('buyer_email=none@example.com')).toEqual([]);
  expect(await app.get('/api/v2/enrollments?course_id=none', { key })).toMatchObject(
    failure(400, 'invalid_request', expect.any(String)),
  );
});

test('enrolling in an unknown or foreign course fails with validation_failed, and changing a foreign enrollment with not_found', async () => {
  const { course_id } = await makeCourse(0);
  const id = idOf(await create(course_id, 'here@example.com'));
  const noCourse = failure(400, 'validation_failed', 'course_id: no such course');
  expect(await create('mb3k9x2a7f0q1zd', 'a@example.com')).toEqual(noCourse);
  expect(await create(course_id, 'a@example.com', theirKey)).toEqual(noCourse);
  for (const action of ['complete', 'end'] as const) {
    expect(await act('mb3k9x2a7f0q1zd', action)).toEqual(failure(404, 'not_found'));
    expect(await act(id, action, theirKey)).toEqual(failure(404, 'not_found'));
  }
  expect(await app.get('/api/v2/enrollments', { key: theirKey })).toMatchObject({ body: { items: [] } });
  expect(await read(course_id, id)).toMatchObject({ completed_at: null, ended_at: null });
  expect(await refusal(studio.enrollments.end.mutate({ id: 'mb3k9x2a7f0q1zd' }))).toMatchObject({
    code: 'not_found',
  });
});
