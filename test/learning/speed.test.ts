import { afterAll, expect, inject, test } from 'vitest';
import { countRoundTrips } from '../support/count-round-trips.ts';
import { withPort } from '../support/delivery-stage.ts';
import { startLearningSite } from '../support/learning-site.ts';

// Counts the round trips to the database of learners, in a large course with many learners.

const long = process.env.FAULTS === 'long';
const learners = long ? 100_000 : 2_000;
const lessons = 1_000;

const serverUrl = inject('databaseUrl');
const proxy = await countRoundTrips({ port: Number(new URL(serverUrl).port) });
const site = await startLearningSite({ serverUrl: withPort(serverUrl, proxy.port) });
const { app, run, siteId } = site;
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

const course = await site.createCourse({ modules: [] });
const lessonOf = (at: number) => `lesson${String(at).padStart(9, '0')}`;
const pathOf = (at: number) => `${course.path}/lessons/${lessonOf(at)}`;

// Without triggers, because calls of the owner cannot add as many lessons to one course.
await app.deps.database.em.fork().transactional(async (em) => {
  for (const statement of [
    'set local session_replication_role = replica',
    `insert into modules (site_id, id, course_id, title, sort_order, created, updated)
      select '${siteId}', 'module' || lpad(n::text, 9, '0'), '${course.id}', 'Module ' || n, n, now(), now() from generate_series(0, 59) n`,
    `insert into lessons (site_id, id, module_id, title, content, video_url, sort_order, created, updated)
      select '${siteId}', 'lesson' || lpad(n::text, 9, '0'), 'module' || lpad((n / 17)::text, 9, '0'), 'Lesson ' || n, 'Body', '', n, now(), now()
      from generate_series(0, ${lessons - 1}) n`,
    `insert into enrollments (site_id, id, course_id, buyer_email, created)
      select '${siteId}', 'learner' || lpad(n::text, 8, '0'), '${course.id}', n || '@example.com', now() from generate_series(1, ${learners}) n`,
    `insert into lesson_progress (site_id, enrollment_id, lesson_id, done_at)
      select '${siteId}', 'learner' || lpad(n::text, 8, '0'), 'lesson' || lpad(l::text, 9, '0'), now()
      from generate_series(1, ${learners}, 100) n, generate_series(0, ${lessons - 2}) l`,
  ])
    await em.execute(statement);
});
await run('analyze');

const learner = await site.signUp('1@example.com');
const beginner = await site.signUp('beginner@example.com');

test('a lesson page, and a lesson that is marked as done, take at most three round trips in a large course', async () => {
  // Prefetched pages are not counted as views, which are stored after the answer.
  const visit = (at: number) => learner.visit(pathOf(at), { headers: { 'sec-purpose': 'prefetch' } });
  // The first requests open connections, prepare statements and fill caches.
  expect((await visit(0)).text).toContain(`Lesson 1 of ${lessons}`);
  expect((await visit(500)).status).toBe(200);
  expect(await proxy.during(() => visit(998))).toBeLessThanOrEqual(3);
  const form = { form: { action: 'done' } };
  const done = async (at: number) => {
    const answer = await beginner.visit(pathOf(at), form);
    expect([answer.status, answer.headers.location]).toEqual([303, pathOf(at + 1)]);
  };
  await done(0);
  expect(await proxy.during(() => done(1))).toBeLessThanOrEqual(3);
  const call = () => beginner.learning.done.mutate({ lesson_id: lessonOf(2) });
  expect(await proxy.during(call)).toBeLessThanOrEqual(3);
  const last = await learner.learning.done.mutate({ lesson_id: lessonOf(lessons - 1) });
  expect(last).toEqual({ done: lessons, of: lessons, completed_at: app.clock.now() });
  expect((await site.eventsOf('course.completed')).length).toBe(1);
});

test('an owner sees the progress of a page of learners', async () => {
  const { items, total } = await site.studio.enrollments.list.query({ course_id: course.id, per_page: 200 });
  expect(total).toBe(learners + 1);
  expect(items).toHaveLength(200);
  expect(new Set(items.map(({ of }) => of))).toEqual(new Set([lessons]));
  const found = await site.studio.enrollments.list.query({ q: 'beginner@' });
  expect(found.items).toMatchObject([{ done: 3, of: lessons, source: 'member', completed_at: null }]);
});
