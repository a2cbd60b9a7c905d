import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { archiveFrom, archiveOf, filesOf, importBytes, replaceFile, rowsOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { startLearningSite } from '../support/learning-site.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

const site = await startLearningSite({ config: { countsTest: true } });
const { app, studio } = site;
afterAll(() => app[Symbol.asyncDispose]());
await studio.site.update.mutate({ currency: 'EUR' });

const paid = { access_tier: 'paid' };

/** Enrollments of a course, as the owner lists them. */
const enrolled = async (course_id: string) => (await studio.enrollments.list.query({ course_id })).items;

test('the content API neither accepts nor returns the fields that publish lessons and previews', async () => {
  const course = await site.createCourse();
  const key = await app.seed.key({ scopes: ['read', 'write', 'read:content'] });
  for (const path of [
    '/api/v1/courses',
    `/api/v1/courses?include=cover,meta`,
    '/api/v2/courses',
    `/api/v2/courses/${course.id}`,
    `/api/v2/courses/${course.id}/curriculum`,
  ]) {
    const { status, body } = await app.get(path, { key });
    expect([path, status]).toEqual([path, 200]);
    expect(JSON.stringify(body)).not.toMatch(/lessons_published|is_preview|is_gated/);
  }
  const sent = await app.patch(`/api/v1/courses/${course.id}`, { key, body: { lessons_published: false } });
  expect(sent.status).toBe(400);
  expect((await studio.courses.get.query({ id: course.id })).lessons_published).toBe(true);
  const { id } = await studio.courses.create.mutate({ title: 'New' });
  expect((await studio.courses.get.query({ id })).lessons_published).toBe(false);
});

test('an author publishes the lessons and previews of an own draft, and of nothing else', async () => {
  const author = await app.seed.person('author');
  const own = ownerClient(app.baseUrl, author.token).studio;
  const { id } = await own.courses.create.mutate({ title: 'Draft', is_draft: true, lessons_published: true });
  const { id: module_id } = await own.modules.create.mutate({ course_id: id, title: 'Module' });
  const { id: lesson } = await own.lessons.create.mutate({ module_id, title: 'Lesson', is_preview: true });
  expect((await studio.lessons.get.query({ id: lesson })).is_preview).toBe(true);
  const other = await site.createCourse();
  const calls = [
    own.courses.update.mutate({ id: other.id, lessons_published: false }),
    own.lessons.update.mutate({ id: other.lessons[0] ?? '', is_preview: true }),
  ];
  for (const { code } of await Promise.all(calls.map(refusal))) expect(code).toBe('insufficient_role');
});

test('an enrollment by the owner gives access to the course, also to a learner who started it, and fires no second event', async () => {
  const course = await site.createCourse({ values: { access_tier: 'registered', sequential_access: false } });
  const { email, visit, learning } = await site.signUp('twice@example.com');
  await learning.begin.mutate({ course_id: course.id });
  await studio.courses.update.mutate({ id: course.id, ...paid });
  expect((await refusal(learning.done.mutate({ lesson_id: course.lessons[0] ?? '' }))).code).toBe(
    'not_entitled',
  );
  const [started] = await enrolled(course.id);
  expect(started).toMatchObject({ source: 'member', ended_at: null });
  const enroll = () => studio.enrollments.create.mutate({ course_id: course.id, buyer_email: email });
  const { id, created } = await enroll();
  expect({ id, created }).toEqual({ id: started?.id, created: started?.created });
  expect(await enrolled(course.id)).toMatchObject([{ id, source: 'owner', ended_at: null }]);
  await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  await studio.enrollments.end.mutate({ id });
  await studio.enrollments.end.mutate({ id });
  expect((await visit(course.path)).text).toContain('For buyers');
  expect((await refusal(learning.begin.mutate({ course_id: course.id }))).code).toBe('not_entitled');
  await enroll();
  expect(await enrolled(course.id)).toMatchObject([{ source: 'owner', ended_at: null, done: 1, of: 3 }]);
  expect((await visit(course.lessonPath(2))).status).toBe(200);
  expect((await site.eventsOf('course.enrolled')).filter((data) => data.course === course.id)).toHaveLength(
    1,
  );
});

test('an owner can enroll a learner before lessons are published, and an ended enrollment restarts with "Start", without an event', async () => {
  const course = await site.createCourse({ values: { lessons_published: false } });
  const { email, visit } = await site.signUp('again@example.com');
  const { id } = await studio.enrollments.create.mutate({ course_id: course.id, buyer_email: email });
  await studio.enrollments.end.mutate({ id });
  await studio.courses.update.mutate({ id: course.id, lessons_published: true });
  expect((await visit(course.path)).text).toContain('Start the course');
  expect((await visit(`${course.path}/begin`, { form: {} })).headers.location).toBe(course.lessonPath(0));
  expect(await enrolled(course.id)).toMatchObject([{ id, ended_at: null }]);
  expect((await site.eventsOf('course.enrolled')).filter((data) => data.course === course.id)).toHaveLength(
    1,
  );
});

test("an ended enrollment that a learner restarts keeps its source, except that one by the owner becomes the member's own", async () => {
  const course = await site.createCourse({ values: { access_tier: 'free' } });
  const { email, learning } = await site.signUp('restarts@example.com');
  await learning.begin.mutate({ course_id: course.id });
  const [{ id = '' } = {}] = await enrolled(course.id);
  for (const [source, restarted] of [
    ['member', 'member'],
    ['purchase', 'purchase'],
    ['owner', 'member'],
  ]) {
    await site.run('update enrollments set source = ? where id = ?', [source, id]);
    await learning.begin.mutate({ course_id: course.id });
    expect(await enrolled(course.id)).toMatchObject([{ buyer_email: email, source, ended_at: null }]);
    await studio.enrollments.end.mutate({ id });
    await learning.begin.mutate({ course_id: course.id });
    expect(await enrolled(course.id)).toMatchObject([{ source: restarted, ended_at: null }]);
  }
  await studio.courses.update.mutate({ id: course.id, ...paid });
  expect((await refusal(learning.begin.mutate({ course_id: course.id }))).code).toBe('not_entitled');
});

test('a purchase enrolls its buyer, and a refund closes the course from the next request on but keeps the progress', async () => {
  const course = await site.createCourse({ values: { ...paid, sequential_access: false } });
  const { email, visit, learning } = await site.signUp('refunded@example.com');
  const sale = { content_type: 'courses' as const, content_id: course.id, amount: 5, currency: 'EUR' };
  const { id } = await studio.purchases.record.mutate({ ...sale, buyer_email: email });
  expect(await enrolled(course.id)).toMatchObject([{ source: 'purchase', done: 0, of: 3 }]);
  await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  await studio.purchases.update.mutate({ id, state: 'revoked' });
  const page = await visit(course.lessonPath(0));
  expect([page.status, page.text.includes('Body of')]).toEqual([200, false]);
  const sent = await visit(course.lessonPath(1), { form: { action: 'done' } });
  expect([sent.status, sent.text.includes('Body of')]).toEqual([403, false]);
  expect((await refusal(learning.undo.mutate({ lesson_id: course.lessons[0] ?? '' }))).code).toBe(
    'not_entitled',
  );
  await studio.purchases.update.mutate({ id, state: 'paid' });
  expect(await learning.done.mutate({ lesson_id: course.lessons[1] ?? '' })).toMatchObject({ done: 2 });
});

test('a corrected address of a purchase does not move an enrollment by the owner', async () => {
  const course = await site.createCourse({ values: { ...paid, sequential_access: false } });
  const [guest, buyer] = [await site.signUp('guest@example.com'), await site.signUp('giver@example.com')];
  await studio.enrollments.create.mutate({ course_id: course.id, buyer_email: guest.email });
  const { id } = await studio.purchases.record.mutate({
    ...{
      buyer_email: guest.email,
      content_type: 'courses',
      content_id: course.id,
      amount: 5,
      currency: 'EUR',
    },
  });
  const whoReads = async () => {
    const pages = await Promise.all([guest, buyer].map(({ visit }) => visit(course.lessonPath(0))));
    return pages.map(({ text }) => text.includes('Body of'));
  };
  await studio.purchases.update.mutate({ id, buyer_email: buyer.email });
  expect(await whoReads()).toEqual([true, true]);
  await studio.purchases.update.mutate({ id, state: 'revoked' });
  expect(await whoReads()).toEqual([true, false]);
  expect(await enrolled(course.id)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ buyer_email: guest.email, source: 'owner' }),
      expect.objectContaining({ buyer_email: buyer.email, source: 'purchase' }),
    ]),
  );
});

test('an enrollment that the owner completes fires its event once, and gets a certificate', async () => {
  const course = await site.createCourse();
  const { email, visit, learning } = await site.signUp('completed@example.com');
  const { id } = await studio.enrollments.create.mutate({ course_id: course.id, buyer_email: email });
  await studio.enrollments.complete.mutate({ id });
  for (const lesson_id of course.lessons) await learning.done.mutate({ lesson_id });
  expect((await site.eventsOf('course.completed')).filter((data) => data.course === course.id)).toHaveLength(
    1,
  );
  const given = await visit(`${course.path}/certificate`, { form: { name: 'Grace' } });
  expect((await visit(String(given.headers.location))).status).toBe(200);
});

test('an offer of a course needs published lessons: without them it is not shown, and selling it is refused', async () => {
  const course = await site.createCourse({ values: { ...paid, lessons_published: false } });
  const offer = {
    ...{ title: 'Course', interval: 'once' as const, collection: 'courses' as const, record_id: course.id },
    ...{ amount: 5, currency: 'EUR' },
  };
  expect(await refusal(studio.offers.create.mutate(offer))).toEqual({
    code: 'validation_failed',
    message: 'record_id: must be a course whose lessons are published',
  });
  await studio.courses.update.mutate({ id: course.id, lessons_published: true });
  const { id } = await studio.offers.create.mutate(offer);
  const visit = createVisitor(app.baseUrl);
  const isSold = async () => [
    (await visit(course.path)).text.includes(`/buy/${id}`),
    (await visit(course.lessonPath(0))).text.includes(`/buy/${id}`),
    (await visit(`/buy/${id}`, { form: { email: 'buyer@example.com' } })).status,
  ];
  expect(await isSold()).toEqual([true, true, 303]);
  await studio.courses.update.mutate({ id: course.id, lessons_published: false });
  expect(await isSold()).toEqual([false, false, 409]);
  await studio.courses.update.mutate({ id: course.id, lessons_published: true });
  expect(await isSold()).toEqual([true, true, 303]);
});

test('progress stays when lessons are moved, trashed and restored, and goes when a lesson is purged', async () => {
  const course = await site.createCourse({ values: { sequential_access: false } });
  const { learning } = await site.signUp('moved@example.com');
  const [one = '', two = '', three = ''] = course.lessons;
  for (const lesson_id of [one, two]) await learning.done.mutate({ lesson_id });
  const progress = async () => (await enrolled(course.id)).map(({ done, of }) => [done, of]);
  await studio.lessons.reorder.mutate({ ids: [three, two, one] });
  expect(await progress()).toEqual([[2, 3]]);
  await studio.lessons.delete.mutate({ id: one });
  expect(await progress()).toEqual([[1, 2]]);
  await studio.trash.restore.mutate({ collection: 'lessons', id: one });
  expect(await progress()).toEqual([[2, 3]]);
  await studio.courses.delete.mutate({ id: course.id });
  await studio.trash.restore.mutate({ collection: 'courses', id: course.id });
  expect(await progress()).toEqual([[2, 3]]);
  await studio.lessons.delete.mutate({ id: two });
  await studio.trash.purge.mutate({ collection: 'lessons', id: two });
  expect(await site.run('select lesson_id from lesson_progress where lesson_id = ?', [two])).toEqual([]);
  await studio.modules.delete.mutate({ id: course.modules[0] ?? '' });
  expect(await site.run('select lesson_id from lesson_progress where lesson_id = ?', [one])).toHaveLength(1);
  await studio.trash.purge.mutate({ collection: 'modules', id: course.modules[0] ?? '' });
  expect(await site.run('select lesson_id from lesson_progress where lesson_id = ?', [one])).toEqual([]);
});

test('an archive contains published lessons, enrollments, progress and certificates, and an older one none of them', async () => {
  const course = await site.createCourse({ modules: [['One', '*Two']] });
  const { learning } = await site.signUp('archived@example.com');
  for (const lesson_id of course.lessons) await learning.done.mutate({ lesson_id });
  await learning.certify.mutate({ course_id: course.id, name: 'Grace' });
  const archive = await archiveOf(app, site.siteId);
  await using other = await startApp();
  await importBytes(other, archive);
  const tables = {
    courses: 'id, lessons_published',
    lessons: 'id, is_preview',
    enrollments: '*',
    lesson_progress: '*',
  };
  const rowsIn = (of: Pick<typeof app, 'deps'>) =>
    Promise.all(
      Object.entries(tables).map(([table, columns]) =>
        rowsOf<Record<string, unknown>>(of, `select ${columns} from ${table} order by 1, 2`),
      ),
    );
  const [ours, theirs] = [await rowsIn(app), await rowsIn(other)];
  expect(theirs).toEqual(
    ours.map((rows) => rows.map((row) => ('site_id' in row ? { ...row, site_id: site.siteId } : row))),
  );
  const files = await filesOf(archive);
  const newer = [
    'lessons_published',
    'is_preview',
    'source',
    'ended_at',
    'certificate_id',
    'certificate_name',
    'certificate_title',
  ];
  for (const name of ['courses.jsonl', 'lessons.jsonl', 'enrollments.jsonl']) {
    const lines = (files.get(name) ?? '').split('\n').filter(Boolean);
    const older = lines.map((line) =>
      JSON.stringify(
        Object.fromEntries(Object.entries(JSON.parse(line)).filter(([field]) => !newer.includes(field))),
      ),
    );
    replaceFile(files, name, older.map((line) => `${line}\n`).join(''));
  }
  replaceFile(files, 'lesson_progress.jsonl', '');
  await using third = await startApp();
  await importBytes(third, await archiveFrom(files));
  const [courses, lessons, enrollments, progress] = await rowsIn(third);
  expect(new Set(courses?.map((row) => row.lessons_published))).toEqual(new Set([false]));
  expect(new Set(lessons?.map((row) => row.is_preview))).toEqual(new Set([false]));
  expect(enrollments?.map((row) => row.source)).not.toContain('member');
  expect([enrollments?.length, progress]).toEqual([ours[2]?.length, []]);
});

test("an imported archive whose enrollments have no source makes those of buyers depend on their purchases, and keeps the owner's", async () => {
  const course = await site.createCourse({ values: paid });
  const other = await site.createCourse({ values: paid });
  const bought = { content_type: 'courses', content_id: course.id, amount: 5, currency: 'EUR' } as const;
  const stillPaid = 'paid-buyer@example.com';
  for (const buyer_email of [stillPaid, 'revoked-buyer@example.com']) {
    const { id } = await studio.purchases.record.mutate({ buyer_email, ...bought });
    if (buyer_email !== stillPaid) await studio.purchases.update.mutate({ id, state: 'revoked' });
  }
  // Purchases of another course, and of a post with the same ID, do not count for this course.
  const buyer_email = 'enrolled@example.com';
  await studio.enrollments.create.mutate({ course_id: course.id, buyer_email });
  await studio.purchases.record.mutate({ buyer_email, ...bought, content_id: other.id });
  const files = await filesOf(await archiveOf(app, site.siteId));
  const without = (name: string, field: string) =>
    replaceFile(files, name, (files.get(name) ?? '').replaceAll(new RegExp(`"${field}":"?\\w+"?,`, 'g'), ''));
  const purchases = files.get('purchases.jsonl') ?? '';
  const asPost = JSON.parse(purchases.trim().split('\n').at(-1) ?? '');
  const post = { ...asPost, id: 'post00000000000', content_type: 'posts', content_id: course.id };
  replaceFile(files, 'purchases.jsonl', `${purchases}${JSON.stringify(post)}\n`);
  without('enrollments.jsonl', 'source');
  await using restored = await startApp({ config: { countsTest: true } });
  await importBytes(restored, await archiveFrom(files));
  const sources = await rowsOf<{ buyer_email: string; source: string }>(
    restored,
    `select buyer_email, source from enrollments where course_id = '${course.id}' order by 1`,
  );
  expect(sources).toEqual([
    { buyer_email, source: 'owner' },
    { buyer_email: stillPaid, source: 'purchase' },
    { buyer_email: 'revoked-buyer@example.com', source: 'purchase' },
  ]);
});

test('the end of an enrollment wins over a lesson that is finished at the same time', async () => {
  const course = await site.createCourse({ values: { access_tier: 'registered', sequential_access: false } });
  const { email, learning } = await site.signUp('ending@example.com');
  await studio.enrollments.create.mutate({ course_id: course.id, buyer_email: email });
  const ending = new pg.Client(app.databaseUrl);
  await ending.connect();
  try {
    await ending.query('begin');
    await ending.query('update enrollments set ended_at = now() where course_id = $1', [course.id]);
    const done = learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(async () => (await site.run(waiting)).length === 1);
    await ending.query('commit');
    expect(await done).toMatchObject({ done: 1 });
  } finally {
    await ending.end();
  }
  expect(await enrolled(course.id)).toMatchObject([{ source: 'owner', ended_at: expect.any(Date) }]);
});
