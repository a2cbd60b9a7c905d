import { expect, test } from 'vitest';
import { eventNames } from '../../shared/contract/events.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { calls } from '../support/calls.ts';
import { withHeaders } from '../support/every-call.ts';
import { resolving } from '../support/fixed-dns.ts';
import { withLearning } from '../support/learning-site.ts';
import { ownerClient } from '../support/rpc.ts';
import { withIds } from '../support/walk-site.ts';

// Lesson bodies and video URLs are returned to people who work on the site, over RPC, and to no one else by any procedure. Readers see
// them only on the pages of lessons: `test/learning/secrecy.test.ts`.

const body = 'PLANTED-LESSON-BODY';
const video = 'https://video.example.com/PLANTED-LESSON-VIDEO';
const planted = /PLANTED/i;

/** Procedures that return complete lessons to their owner. */
const ownersReads = ['studio.lessons.get', 'studio.lessons.getRevision'];

async function startPlantedSite() {
  const lookup = resolving({ 'hooks.example.com': ['93.184.215.14'] });
  const app = await startApp({ webhooks: { lookup } });
  const key = await app.seed.key({ scopes: scopeNames });
  const token = await app.seed.ownerToken();
  const { studio } = ownerClient(app.baseUrl, token);
  await app.post('/api/v2/webhooks', { key, body: { url: 'https://hooks.example.com/', events: ['*'] } });
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Course', lessons_published: true });
  const { id: module_id } = await studio.modules.create.mutate({ course_id, title: 'Module' });
  const lesson = { title: 'Lesson title', content: body, video_url: video };
  const { id } = await studio.lessons.create.mutate({ module_id, ...lesson });
  await studio.lessons.update.mutate({ id, ...lesson });
  const { id: enrolment } = await studio.enrollments.create.mutate({
    course_id,
    buyer_email: 'a@example.com',
  });
  await studio.enrollments.complete.mutate({ id: enrolment });
  const learner = await withLearning(app, { siteId: await app.seed.ownSite(), token }).signUp(
    'a@example.com',
  );
  return { ...app, key, token, learner, ids: { course_id, module_id, id, enrolment } };
}

test("no response of any procedure contains a lesson's body or video, except the owner's reads", async () => {
  await using app = await startPlantedSite();
  const ids = [...Object.values(app.ids), 'course'];
  const learner = app.learner.token;
  const leaks: string[] = [];
  let shownToOwner = 0;
  // Reads run first, because a write may delete the lesson.
  for (const call of calls.toSorted((a, b) => Number(a.writes) - Number(b.writes))) {
    const inputs = [...withIds(call.example, ids), { ...call.example, unlisted: 1 }];
    for (const [credential, memberToken] of [[app.key, learner], [app.token], [''], ['', learner]] as const) {
      // This procedure ends the session that calls it.
      const key = call.name === 'admin.session.delete' ? await app.seed.ownerToken() : credential;
      for (const input of inputs) {
        const headers = memberToken ? { 'x-member-token': memberToken } : {};
        const answer = await call.send(withHeaders(app, headers), input, key);
        const bytes = JSON.stringify([answer.body, [...answer.headers]]);
        if (!planted.test(bytes)) continue;
        if (ownersReads.includes(call.name) && credential === app.token) shownToOwner += 1;
        else leaks.push(call.title);
      }
    }
  }
  expect(leaks).toEqual([]);
  expect(shownToOwner).toBeGreaterThan(0);
});

test('the curriculum contains the title of a lesson, but neither body nor video', async () => {
  await using app = await startPlantedSite();
  const { course_id, module_id, id } = app.ids;
  const lessons = [{ id, title: 'Lesson title', sort_order: 0 }];
  expect(await app.get(`/api/v2/courses/${course_id}/curriculum`, { key: app.key })).toEqual({
    status: 200,
    body: { course_id, modules: [{ id: module_id, title: 'Module', sort_order: 0, lessons }] },
  });
});

test('the error of an invalid write does not contain the body that was sent', async () => {
  await using app = await startPlantedSite();
  const { module_id, id } = app.ids;
  for (const input of [
    { id, content: body, video_url: 'PLANTED' },
    { id, content: body, title: '' },
    { id: 'a'.repeat(15), content: body },
    { id, content: body, module_id: 'a'.repeat(15) },
    { id, content: body.repeat(50_000) },
  ]) {
    const answer = await app.post('/trpc/studio.lessons.update', { key: app.token, body: { json: input } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(answer.body)).not.toMatch(planted);
  }
  const created = await app.post('/trpc/studio.lessons.create', {
    key: app.token,
    body: { json: { module_id, title: 'L', content: body } },
  });
  expect(JSON.stringify(created.body)).not.toMatch(planted);
});

test('no event contains the body of a lesson, neither polled nor in the stored event', async () => {
  await using app = await startPlantedSite();
  for (const event of eventNames) {
    const { status, body: polled } = await app.get(`/api/v1/webhooks/poll/${event}`, { key: app.key });
    expect([status, JSON.stringify(polled)]).toEqual([200, expect.not.stringMatching(planted)]);
  }
  const stored = await app.deps.database.em.execute<{ body: string }[]>('select body from events');
  expect(stored.length).toBeGreaterThan(0);
  for (const event of stored) expect(event.body).not.toMatch(planted);
});

test('no queued job contains the body of a lesson', async () => {
  await using app = await startPlantedSite();
  const jobs = await app.deps.database.em.execute('select * from graphile_worker._private_jobs');
  expect(JSON.stringify(jobs)).not.toMatch(planted);
});

test('neither the API description nor the documentation contains the body of a lesson', async () => {
  await using app = await startPlantedSite();
  for (const path of ['/openapi.json', '/docs', '/healthz', '/readyz']) {
    const answer = await fetch(app.baseUrl + path, { headers: { authorization: `Bearer ${app.token}` } });
    expect(await answer.text()).not.toMatch(planted);
  }
});
