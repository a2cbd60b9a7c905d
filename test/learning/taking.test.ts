import { afterAll, expect, test } from 'vitest';
import { bodyOf, startLearningSite } from '../support/learning-site.ts';
import { refusal } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

const site = await startLearningSite();
const { app, studio } = site;
afterAll(() => app[Symbol.asyncDispose]());

let people = 0;
const signUp = (...rest: Parameters<typeof site.signUp> extends [string, ...infer R] ? R : never) => {
  people += 1;
  return site.signUp(`learner${people}@example.com`, ...rest);
};

/** Events of one course. */
const eventsOf = async (name: string, course: string) =>
  (await site.eventsOf(name)).filter((data) => data.course === course);

test('a learner starts a course, takes it in order, and completes it once', async () => {
  const course = await site.createCourse({ modules: [['One', 'Two'], [], ['Three']] });
  const { email, visit } = await signUp();
  const page = await visit(course.path);
  expect(page.text).toContain('Start the course');
  expect(page.headers['cache-control']).toBe('private, no-store');
  const begun = await visit(`${course.path}/begin`, { form: {} });
  expect([begun.status, begun.headers.location]).toEqual([303, course.lessonPath(0)]);
  const [enrolled, ...more] = await eventsOf('course.enrolled', course.id);
  expect([enrolled, more]).toEqual([expect.objectContaining({ buyer_email: email }), []]);
  for (const [at, title] of ['One', 'Two', 'Three'].entries()) {
    const lesson = await visit(course.lessonPath(at));
    expect([lesson.status, lesson.headers['cache-control']]).toEqual([200, 'private, no-store']);
    expect(lesson.text).toContain(bodyOf(title));
    expect(lesson.text).toContain('<meta name="robots" content="noindex">');
    expect(lesson.text).toContain(`Lesson ${at + 1} of 3`);
    const done = await visit(course.lessonPath(at), { form: { action: 'done' } });
    const next = at < 2 ? course.lessonPath(at + 1) : course.path;
    expect([done.status, done.headers.location]).toEqual([303, next]);
  }
  const completed_at = app.clock.now().toISOString();
  expect(await eventsOf('course.completed', course.id)).toEqual([
    { id: enrolled?.id, collection: 'enrollments', course: course.id, buyer_email: email, completed_at },
  ]);
  const again = await visit(course.lessonPath(2), { form: { action: 'done' } });
  expect(again.headers.location).toBe(course.path);
  expect(await eventsOf('course.completed', course.id)).toHaveLength(1);
  expect(await eventsOf('course.enrolled', course.id)).toHaveLength(1);
  expect((await visit(course.path)).text).toContain('3 of 3 lessons done');
});

test('a locked lesson redirects to the next open one, reveals nothing but its title, and cannot be marked as done', async () => {
  const course = await site.createCourse({ modules: [['One', 'Two', 'Three', '*Four']] });
  const { visit, learning } = await signUp();
  const lead = async (at: number) => {
    const { status, headers, text } = await visit(course.lessonPath(at));
    return status === 303
      ? headers.location
      : text.includes(bodyOf(['One', 'Two', 'Three', 'Four'][at] ?? ''));
  };
  // Without an enrollment too.
  expect(await Promise.all([0, 1, 2, 3].map(lead))).toEqual([
    true,
    course.lessonPath(0),
    course.lessonPath(0),
    true,
  ]);
  const locked = await visit(course.lessonPath(1), { form: { action: 'done' } });
  expect([locked.status, locked.headers.location]).toEqual([303, course.lessonPath(0)]);
  expect(await refusal(learning.done.mutate({ lesson_id: course.lessons[2] ?? '' }))).toEqual({
    code: 'lesson_locked',
    message: 'this lesson opens when all lessons before it are done',
  });
  expect(await eventsOf('course.enrolled', course.id)).toEqual([]);
  // A preview can be done at any time, and later lessons wait for it.
  expect(await learning.done.mutate({ lesson_id: course.lessons[3] ?? '' })).toEqual({
    ...{ done: 1, of: 4, completed_at: null },
  });
  expect(await Promise.all([0, 1, 2, 3].map(lead))).toEqual([
    true,
    course.lessonPath(0),
    course.lessonPath(0),
    true,
  ]);
  await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  expect(await Promise.all([0, 1, 2, 3].map(lead))).toEqual([true, true, course.lessonPath(1), true]);
  const page = (await visit(course.path)).text;
  expect(page).toContain(`<a href="${course.lessonPath(1)}">Two</a>`);
  expect(page).not.toContain(`href="${course.lessonPath(2)}"`);
});

test('the page of a lesson links to its neighbors, except those that are locked', async () => {
  const course = await site.createCourse({ modules: [['One', 'Two', 'Three', '*Four']] });
  const { visit, learning } = await signUp();
  const linksOf = async (at: number) => {
    const { text } = await visit(course.lessonPath(at));
    return [0, 1, 2, 3].filter((other) => text.includes(`href="${course.lessonPath(other)}"`));
  };
  expect([await linksOf(0), await linksOf(3)]).toEqual([[], []]);
  expect((await visit(course.lessonPath(0))).text).toContain('Back to the course');
  await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  expect([await linksOf(0), await linksOf(1), await linksOf(3)]).toEqual([[1], [0], []]);
  // Lessons of a closed course show what opens them.
  await studio.courses.update.mutate({ id: course.id, access_tier: 'paid' });
  expect(await linksOf(3)).toEqual([2]);
});

test('in a course without a fixed order every lesson is open from the beginning', async () => {
  const course = await site.createCourse({ values: { sequential_access: false } });
  const { visit, learning } = await signUp();
  for (const [at, title] of ['One', 'Two', 'Three'].entries())
    expect((await visit(course.lessonPath(at))).text).toContain(bodyOf(title));
  for (const [at, done] of [
    [2, 1],
    [0, 2],
  ] as const)
    expect(await learning.done.mutate({ lesson_id: course.lessons[at] ?? '' })).toEqual({
      ...{ done, of: 3, completed_at: null },
    });
  const last = await visit(course.lessonPath(1), { form: { action: 'done' } });
  expect(last.headers.location).toBe(course.path);
  expect(await eventsOf('course.completed', course.id)).toHaveLength(1);
});

test('undoing a lesson locks the next ones again, except those that are done, and undoes no completion', async () => {
  const course = await site.createCourse();
  const { visit, learning } = await signUp();
  const [one = '', two = '', three = ''] = course.lessons;
  await learning.done.mutate({ lesson_id: one });
  await learning.done.mutate({ lesson_id: two });
  const undone = await visit(course.lessonPath(0), { form: { action: 'undo' } });
  expect([undone.status, undone.headers.location]).toEqual([303, course.lessonPath(0)]);
  expect((await visit(course.lessonPath(1))).status).toBe(200);
  expect((await visit(course.lessonPath(2))).headers.location).toBe(course.lessonPath(0));
  await learning.done.mutate({ lesson_id: one });
  const { completed_at } = await learning.done.mutate({ lesson_id: three });
  expect(completed_at).toEqual(app.clock.now());
  expect(await learning.undo.mutate({ lesson_id: two })).toEqual({ done: 2, of: 3, completed_at });
  expect(await learning.undo.mutate({ lesson_id: two })).toEqual({ done: 2, of: 3, completed_at });
  app.clock.advance({ hours: 1 });
  expect(await learning.done.mutate({ lesson_id: two })).toEqual({ done: 3, of: 3, completed_at });
  expect(await eventsOf('course.completed', course.id)).toHaveLength(1);
});

test('the form of a lesson accepts only its listed actions, and only from pages of the site', async () => {
  const course = await site.createCourse();
  const { visit } = await signUp();
  const path = course.lessonPath(0);
  for (const form of [{}, { action: 'finish' }, { action: '' }])
    expect([form, (await visit(path, { form })).status]).toEqual([form, 400]);
  const foreign = { form: { action: 'done' }, headers: { origin: 'https://evil.example' } };
  expect((await visit(path, foreign)).status).toBe(403);
  expect((await visit(path, { method: 'POST' })).status).toBe(403);
  expect(await eventsOf('course.enrolled', course.id)).toEqual([]);
});

test('forms of a visitor who is not signed in lead to the sign-in, and back', async () => {
  const course = await site.createCourse();
  const visit = createVisitor(app.baseUrl);
  const back = (path: string) => `/sign-in?next=${encodeURIComponent(path)}`;
  for (const [path, form, to] of [
    [`${course.path}/begin`, {}, course.path],
    [course.lessonPath(0), { action: 'done' }, course.lessonPath(0)],
    [course.lessonPath(0), { action: 'undo' }, course.lessonPath(0)],
    [`${course.path}/certificate`, { name: 'Grace' }, course.path],
  ] as const) {
    const { status, headers } = await visit(path, { form });
    expect([path, status, headers.location]).toEqual([path, 303, back(to)]);
  }
  expect((await visit(course.lessonPath(0))).text).toContain(back(course.lessonPath(0)));
});

test('a lesson of another course, an unknown one and a malformed one are not found', async () => {
  const [course, other] = [await site.createCourse(), await site.createCourse()];
  const { visit, learning } = await signUp();
  const unknown = 'a'.repeat(15);
  for (const path of [
    `${course.path}/lessons/${other.lessons[0]}`,
    `${course.path}/lessons/${unknown}`,
    `${course.path}/lessons/x`,
    `/courses/none/lessons/${unknown}`,
    `/courses/Not%20a%20slug/lessons/${course.lessons[0]}`,
  ]) {
    for (const action of ['done', 'undo'])
      expect([path, (await visit(path, { form: { action } })).status]).toEqual([path, 404]);
    expect([path, (await visit(path)).status]).toEqual([path, 404]);
  }
  for (const path of ['/courses/none/begin', '/courses/none/certificate'])
    expect([path, (await visit(path, { form: {} })).status]).toEqual([path, 404]);
  const notFound = { code: 'not_found', message: 'not found' };
  for (const lesson_id of [unknown, 'x']) {
    expect(await refusal(learning.done.mutate({ lesson_id }))).toEqual(notFound);
    expect(await refusal(learning.undo.mutate({ lesson_id }))).toEqual(notFound);
    expect(await refusal(learning.begin.mutate({ course_id: lesson_id }))).toEqual(notFound);
  }
  expect(await eventsOf('course.enrolled', other.id)).toEqual([]);
});

test('a course whose lessons are not published, or that is hidden, has no lesson pages and no start', async () => {
  for (const values of [
    { lessons_published: false },
    { visibility: 'private' },
    { visibility: 'unlisted' },
    { is_draft: true },
  ]) {
    const course = await site.createCourse({ values, modules: [['*One', 'Two']] });
    const { visit, learning } = await signUp();
    for (const [path, form] of [
      [course.lessonPath(0), undefined],
      [course.lessonPath(0), { action: 'done' }],
      [`${course.path}/begin`, {}],
      [`${course.path}/certificate`, { name: 'Grace' }],
    ] as const)
      expect([values, path, (await visit(path, form && { form })).status]).toEqual([values, path, 404]);
    expect((await visit(course.path)).text).not.toContain('Start the course');
    expect((await refusal(learning.begin.mutate({ course_id: course.id }))).code).toBe('not_found');
    const [lesson_id = ''] = course.lessons;
    expect((await refusal(learning.done.mutate({ lesson_id }))).code).toBe('not_found');
  }
});

test('a course without lessons can be started, and is never completed', async () => {
  const course = await site.createCourse({ modules: [] });
  const { visit, learning } = await signUp();
  const begun = await visit(`${course.path}/begin`, { form: {} });
  expect([begun.status, begun.headers.location]).toEqual([303, course.path]);
  expect(await learning.begin.mutate({ course_id: course.id })).toEqual({
    done: 0,
    of: 0,
    completed_at: null,
  });
  expect(await eventsOf('course.enrolled', course.id)).toHaveLength(1);
});

test("if the owner deletes a learner's last open lesson, the learner finishes the course by a form", async () => {
  const course = await site.createCourse();
  const { visit, learning } = await signUp();
  for (const lesson_id of course.lessons.slice(0, 2)) await learning.done.mutate({ lesson_id });
  await studio.lessons.delete.mutate({ id: course.lessons[2] ?? '' });
  expect(await eventsOf('course.completed', course.id)).toEqual([]);
  const page = (await visit(course.path)).text;
  expect(page).toContain('Finish course');
  expect(page).toContain(`action="${course.lessonPath(1)}"`);
  const finished = await visit(course.lessonPath(1), { form: { action: 'done' } });
  expect(finished.headers.location).toBe(course.path);
  expect(await eventsOf('course.completed', course.id)).toHaveLength(1);
});

test('lessons that are created after the completion show as new and undo nothing', async () => {
  const course = await site.createCourse({ modules: [['One']] });
  const { visit, learning } = await signUp();
  await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  app.clock.advance({ minutes: 1 });
  const module = course.modules[0] ?? '';
  await site.addLesson(module, 'Later', 1);
  expect((await visit(course.path)).text).toContain('1 new lesson<');
  const { id } = await site.addLesson(module, 'Latest', 2);
  const page = (await visit(course.path)).text;
  expect(page).toContain('2 new lessons');
  expect(page).toContain('Completed on');
  expect(page).toContain('1 of 3 lessons done');
  await studio.lessons.delete.mutate({ id });
  expect((await visit(course.path)).text).toContain('1 new lesson<');
  expect(await eventsOf('course.completed', course.id)).toHaveLength(1);
});

test('a certificate shows the name that was given first, the title of that time, and the date', async () => {
  const course = await site.createCourse({ values: { title: 'Locks & <plans>' }, modules: [['One']] });
  const { visit, learning } = await signUp();
  const notYet = await visit(`${course.path}/certificate`, { form: { name: 'Grace' } });
  expect(notYet.status).toBe(409);
  const refused = await refusal(learning.certify.mutate({ course_id: course.id, name: 'Grace' }));
  expect(refused.code).toBe('course_not_completed');
  await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  for (const name of ['', '   ', 'x'.repeat(201)]) {
    const wrong = await visit(`${course.path}/certificate`, { form: { name } });
    expect([wrong.status, wrong.text.includes('Enter your name, in at most 200 characters.')]).toEqual([
      400,
      true,
    ]);
  }
  const given = await visit(`${course.path}/certificate`, { form: { name: ' Grace <Hopper> ' } });
  const path = String(given.headers.location);
  expect([given.status, path]).toEqual([303, expect.stringMatching(/^\/certificates\/\w{22}$/)]);
  const again = await visit(`${course.path}/certificate`, { form: { name: 'Somebody else' } });
  expect(again.headers.location).toBe(path);
  await studio.courses.update.mutate({ id: course.id, title: 'Another title', visibility: 'private' });
  const shown = await createVisitor(app.baseUrl)(path);
  expect([shown.status, shown.headers['cache-control']]).toEqual([200, 'private, no-store']);
  expect(shown.text).toContain('<h1>Grace &lt;Hopper&gt;</h1>');
  expect(shown.text).toContain('Locks &amp; &lt;plans&gt;');
  expect(shown.text).toContain('<meta name="robots" content="noindex">');
  expect(shown.text).not.toMatch(/Somebody else|Another title/);
  const { items } = await studio.enrollments.list.query({ course_id: course.id });
  await studio.enrollments.end.mutate({ id: items[0]?.id ?? '' });
  for (const unknown of [path, '/certificates/x', `/certificates/${'a'.repeat(22)}`])
    expect([unknown, (await visit(unknown)).status]).toEqual([unknown, 404]);
});

test('a certificate shows a name and a title that are read from the right in their direction', async () => {
  const course = await site.createCourse({ values: { title: 'دورة' }, modules: [['One']] });
  const { visit, learning } = await signUp();
  await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  const given = await visit(`${course.path}/certificate`, { form: { name: 'غريس هوبر' } });
  const { text } = await visit(String(given.headers.location));
  expect(text).toContain('<h1 dir="rtl">غريس هوبر</h1>');
  expect(text).toContain('<p class="title" dir="rtl">دورة</p>');
});

test('an enrollment without completion time, name or title has no certificate', async () => {
  const course = await site.createCourse({ modules: [['One']] });
  const { visit, learning } = await signUp();
  await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  const given = await visit(`${course.path}/certificate`, { form: { name: 'Grace' } });
  const path = String(given.headers.location);
  for (const column of ['completed_at', 'certificate_name', 'certificate_title']) {
    const [before] = await site.run<Record<string, unknown>>(
      `select ${column}::text as value from enrollments where course_id = ?`,
      [course.id],
    );
    expect([column, (await visit(path)).status]).toEqual([column, 200]);
    await site.run(`update enrollments set ${column} = null where course_id = ?`, [course.id]);
    expect([column, (await visit(path)).status]).toEqual([column, 404]);
    const type = column === 'completed_at' ? 'timestamptz' : 'text';
    await site.run(`update enrollments set ${column} = ?::${type} where course_id = ?`, [
      before?.value,
      course.id,
    ]);
  }
});

test('the account lists the courses of the learner, with progress and certificates', async () => {
  const [done, open, hidden] = [
    await site.createCourse({ modules: [['One']] }),
    await site.createCourse(),
    await site.createCourse(),
  ];
  const { visit, learning } = await signUp();
  for (const { id } of [done, open, hidden]) await learning.begin.mutate({ course_id: id });
  await learning.done.mutate({ lesson_id: done.lessons[0] ?? '' });
  await learning.done.mutate({ lesson_id: open.lessons[0] ?? '' });
  await learning.certify.mutate({ course_id: done.id, name: 'Grace' });
  await studio.courses.update.mutate({ id: hidden.id, is_draft: true });
  const { text } = await visit('/account');
  expect(text).toContain('Your courses');
  expect(text).toMatch(
    new RegExp(`href="${done.path}">[^<]*</a><p class="meta">[^]*?Completed on[^]*?/certificates/`),
  );
  expect(text).toMatch(new RegExp(`href="${open.path}">[^<]*</a><p class="meta">[^]*?1 of 3 lessons done`));
  expect(text).not.toContain(`href="${hidden.path}"`);
});
