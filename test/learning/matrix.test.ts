import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { bodyOf, withLearning } from '../support/learning-site.ts';
import { refusal, visitorClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

// Everyone who may come to a lesson, at each lesson of a paid course: in order or not, by each method.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.ownSite();
const site = withLearning(app, { siteId, token: await app.seed.ownerToken() });
const otherId = await app.seed.site();
const other = withLearning(app, { siteId: otherId, token: await app.seed.ownerToken(otherId) });
const host = 'learn.localhost';
await site.studio.site.update.mutate({ subdomain: 'learn' });
await other.studio.site.update.mutate({ subdomain: 'other' });

const positions = ['first', 'next', 'later', 'preview'] as const;
type Place = (typeof positions)[number];

const people = ['nobody', 'member', 'buyer', 'tier', 'enrolled', 'refunded', 'ended', 'other site'] as const;
const entitled: readonly string[] = ['buyer', 'tier', 'enrolled'];
const strangers: readonly string[] = ['nobody', 'other site'];

/** Course and the token of a person, who has done its first lesson if they could. */
async function arrange(person: (typeof people)[number], inOrder: boolean) {
  const course = await site.createCourse({
    values: { access_tier: 'paid', sequential_access: inOrder },
    modules: [
      ['first', 'next'],
      ['later', '*preview'],
    ],
  });
  const email = `${crypto.randomUUID()}@example.com`;
  const buy = () =>
    site.studio.purchases.record.mutate({
      ...{ buyer_email: email, content_type: 'courses', content_id: course.id, amount: 5, currency: 'EUR' },
    });
  const enroll = () => site.studio.enrollments.create.mutate({ course_id: course.id, buyer_email: email });
  const signUp = () => site.signUp(email, person === 'tier' ? ['paid'] : []);
  const { token } = strangers.includes(person) ? await other.signUp(email) : await signUp();
  const { learning } = visitorClient(app.baseUrl, { host, 'x-member-token': token }).site;
  let undo: (() => Promise<unknown>) | undefined;
  if (person === 'buyer' || person === 'refunded') {
    const { id } = await buy();
    if (person === 'refunded') undo = () => site.studio.purchases.update.mutate({ id, state: 'revoked' });
  }
  if (person === 'enrolled' || person === 'ended') {
    const { id } = await enroll();
    if (person === 'ended') undo = () => site.studio.enrollments.end.mutate({ id });
  }
  if (undo || entitled.includes(person)) {
    await learning.begin.mutate({ course_id: course.id });
    await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  }
  await undo?.();
  const visit = createVisitor(app.baseUrl, host);
  const headers = person === 'nobody' ? {} : { cookie: `member=${token}` };
  const idOf = (position: Place) => course.lessons[positions.indexOf(position)] ?? '';
  const rows = () =>
    site.run(
      'select * from lesson_progress where enrollment_id in (select id from enrollments where course_id = ?)',
      [course.id],
    );
  return {
    course,
    learning,
    visit: ((path, options) => visit(path, { headers, ...options })) as typeof visit,
    idOf,
    rows,
  };
}

test.for(people.flatMap((person) => [true, false].map((inOrder) => [person, inOrder] as const)))(
  'lessons are shown to %s according to their access, with a fixed order of lessons: %s',
  async ([person, inOrder]) => {
    const { course, learning, visit, idOf, rows } = await arrange(person, inOrder);
    const mayRead = entitled.includes(person);
    const before = await rows();
    for (const position of positions) {
      const path = `${course.path}/lessons/${idOf(position)}`;
      const isLocked = mayRead && inOrder && position === 'later';
      const isShown = position === 'preview' || (mayRead && !isLocked);
      const expected = isLocked
        ? [303, `${course.path}/lessons/${idOf('next')}`, false]
        : [200, undefined, isShown];
      const page = await visit(path);
      expect([position, page.status, page.headers.location, page.text.includes(bodyOf(position))]).toEqual([
        position,
        ...expected,
      ]);
      if (!isShown) expect(page.text).not.toContain('video.example.com');
      if (!isLocked) expect(page.text).toContain(`<h1>${position}</h1>`);
      const head = await visit(path, { method: 'HEAD' });
      expect([head.status, head.headers.location, head.text]).toEqual([expected[0], expected[1], '']);
      for (const action of ['undo', 'done'] as const) {
        if (mayRead) continue;
        const sent = await visit(path, { form: { action } });
        const isStranger = strangers.includes(person);
        expect([position, action, sent.status, sent.headers.location]).toEqual([
          ...[position, action, isStranger ? 303 : 403],
          isStranger ? `/sign-in?next=${encodeURIComponent(path)}` : undefined,
        ]);
        expect(sent.text.includes(bodyOf(position))).toBe(!isStranger && position === 'preview');
        expect((await refusal(learning[action].mutate({ lesson_id: idOf(position) }))).code).toBe(
          isStranger ? 'unauthorized' : 'not_entitled',
        );
      }
    }
    const begun = await visit(`${course.path}/begin`, { form: {} });
    if (strangers.includes(person))
      expect([begun.status, begun.headers.location]).toEqual([
        ...[303, `/sign-in?next=${encodeURIComponent(course.path)}`],
      ]);
    else if (mayRead)
      expect([begun.status, begun.headers.location]).toEqual([303, `${course.path}/lessons/${idOf('next')}`]);
    else expect([begun.status, begun.text.includes('For buyers')]).toEqual([403, true]);
    expect(await rows()).toEqual(before);
    if (!mayRead) return;
    const send = async (position: Place, action: 'done' | 'undo') => {
      const sent = await visit(`${course.path}/lessons/${idOf(position)}`, { form: { action } });
      const [, to] = /lessons\/(\w+)$/.exec(String(sent.headers.location)) ?? [];
      return [sent.status, positions.find((each) => idOf(each) === to) ?? 'course', (await rows()).length];
    };
    expect(await send('later', 'done')).toEqual(inOrder ? [303, 'next', 1] : [303, 'preview', 2]);
    expect(await send('later', 'undo')).toEqual([303, 'later', 1]);
    expect(await send('preview', 'done')).toEqual([303, 'course', 2]);
    expect(await send('next', 'done')).toEqual([303, 'later', 3]);
    expect(await send('first', 'undo')).toEqual([303, 'first', 2]);
    expect(await send('first', 'done')).toEqual([303, 'next', 3]);
    expect(await send('later', 'done')).toEqual([303, 'course', 4]);
  },
);

test('a page of another site, and a session of another site, open nothing', async () => {
  const { course, visit } = await arrange('enrolled', false);
  const theirs = await other.createCourse({ modules: [['theirs']] });
  for (const path of [theirs.lessonPath(0), `${course.path}/lessons/${theirs.lessons[0]}`])
    expect((await visit(path)).status).toBe(404);
  const elsewhere = createVisitor(app.baseUrl, 'other.localhost');
  expect((await elsewhere(course.lessonPath(0))).status).toBe(404);
});
