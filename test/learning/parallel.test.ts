import { expect, test, vi } from 'vitest';
import { startLearningSite } from '../support/learning-site.ts';
import { visitorClient } from '../support/rpc.ts';
import { startServerProcess, withoutLimits } from '../support/server-process.ts';

const long = process.env.FAULTS === 'long';
const rounds = long ? 100 : 2;

if (long) vi.setConfig({ testTimeout: 1_800_000 });

test('fifty concurrent starts and finished lessons, in two processes of which one is killed, enroll once and complete once', async () => {
  const site = await startLearningSite();
  await using app = site.app;
  const start = () => startServerProcess(app.databaseUrl, withoutLimits);
  let second = await start();
  try {
    for (let round = 0; round < rounds; round += 1) {
      const course = await site.createCourse({ values: { sequential_access: round % 2 === 0 } });
      const { token } = await site.signUp(`learner${round}@example.com`);
      const headers = { 'x-member-token': token };
      const clients = [app.baseUrl, second.baseUrl].map((url) => visitorClient(url, headers).site.learning);
      const steps = Array.from({ length: 50 }, (_, at) => async () => {
        const client = clients[at % 2];
        const [lesson_id] = course.lessons.slice(at % 3);
        if (at % 5 === 0) return client?.begin.mutate({ course_id: course.id });
        return client?.done.mutate({ lesson_id: lesson_id ?? '' });
      });
      const answers = steps.map((step) => step());
      if (round % 2 === 1) {
        await Promise.race(answers.map((answer) => answer.catch(() => {})));
        await second[Symbol.asyncDispose]();
        second = await start();
      }
      await Promise.allSettled(answers);
      const [survivor] = clients;
      for (const lesson_id of course.lessons) await survivor?.done.mutate({ lesson_id });
      const about = { course: course.id, buyer_email: `learner${round}@example.com` };
      for (const name of ['course.enrolled', 'course.completed']) {
        const fired = (await site.eventsOf(name)).filter((data) => data.course === course.id);
        expect([round, name, fired]).toEqual([round, name, [expect.objectContaining(about)]]);
      }
      const { items } = await site.studio.enrollments.list.query({ course_id: course.id });
      expect(items).toMatchObject([{ done: 3, of: 3, source: 'member', completed_at: expect.any(Date) }]);
    }
  } finally {
    await second[Symbol.asyncDispose]();
  }
});

test('of two tabs that finish the last two lessons at the same time, one completes the course', async () => {
  const site = await startLearningSite();
  await using _app = site.app;
  for (let round = 0; round < 20; round += 1) {
    const course = await site.createCourse({
      values: { sequential_access: false },
      modules: [['One', 'Two']],
    });
    const { learning } = await site.signUp(`tabs${round}@example.com`);
    const answers = await Promise.all(course.lessons.map((lesson_id) => learning.done.mutate({ lesson_id })));
    expect(answers.map(({ done }) => done).toSorted()).toEqual([1, 2]);
    expect(answers.filter(({ completed_at }) => completed_at !== null)).toHaveLength(1);
  }
  expect((await site.eventsOf('course.completed')).length).toBe(20);
  expect((await site.eventsOf('course.enrolled')).length).toBe(20);
});
