import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { addScheduledPosts } from '../support/scheduled.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an owner finds members by a part of the address, by status and by access, and the filters are in the address', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  await app.deps.database.em.execute(`
    insert into members (site_id, id, email, name, status, access_tiers, created, updated) values
      ('${siteId}', 'member000000001', 'grace@example.com', 'Grace Lin', 'active', '{members}', now(), now()),
      ('${siteId}', 'member000000002', 'ash@example.com', 'Ash', 'blocked', '{}', now(), now()),
      ('${siteId}', 'member000000003', 'wren@example.com', 'Wren', 'active', '{}', now(), now())`);
  const { page, faults } = await browser.open();
  await signIn(app, page, '/members');
  const rows = page.getByRole('table', { name: 'Members' }).locator('tbody tr');
  const shown = (count: number) => expect.poll(() => rows.count()).toBe(count);
  await shown(3);

  await page.getByRole('searchbox', { name: 'Find by name or email' }).fill('gra');
  await page.waitForURL(/q=gra/);
  await shown(1);
  await page.getByText('Grace Lin').waitFor();
  await page.reload();
  await shown(1);
  expect(await findViolations(page)).toEqual([]);
  const choose = async (select: string, option: string) => {
    await page.getByRole('combobox', { name: select }).click();
    await page.getByRole('option', { name: option }).click();
  };
  await choose('Status', 'Blocked');
  await page.getByRole('heading', { name: 'No results' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show everything' }).click();
  await shown(3);
  await choose('Access', 'Members');
  await shown(1);
  expect(faults).toEqual([]);
});

test('an owner filters the enrollments of one course by status', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/');
  const { courses, enrollments } = ownerClient(app.baseUrl, token).studio;
  const { id: knots } = await courses.create.mutate({ title: 'Knots' });
  const { id: sails } = await courses.create.mutate({ title: 'Sails' });
  await enrollments.create.mutate({ course_id: sails, buyer_email: 'ash@example.com' });
  await enrollments.create.mutate({ course_id: knots, buyer_email: 'grace@example.com' });
  const { id } = await enrollments.create.mutate({ course_id: knots, buyer_email: 'wren@example.com' });
  await enrollments.complete.mutate({ id });
  await page.goto(`${app.baseUrl}/studio/enrollments`);
  const rows = page.getByRole('table', { name: 'Enrollments' }).locator('tbody tr');
  const choose = async (select: string, option: string) => {
    await page.getByRole('combobox', { name: select }).click();
    await page.getByRole('option', { name: option }).click();
  };

  await choose('Course', 'Knots');
  await expect.poll(() => rows.count()).toBe(2);
  expect(new URL(page.url()).search).toBe(`?course=${knots}`);
  await page.reload();
  await page.getByText('wren@example.com').waitFor();
  expect(await rows.count()).toBe(2);
  await choose('Status', 'In progress');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByText('grace@example.com').waitFor();
  await choose('Course', 'All courses');
  await expect.poll(() => rows.count()).toBe(2);
  expect(faults).toEqual([]);
});

test('an owner sees how far each learner is, marks one as finished and ends the enrollment of another', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/courses');
  const { courses, modules, lessons, enrollments } = ownerClient(app.baseUrl, token).studio;
  const { id: course_id } = await courses.create.mutate({ title: 'Knots' });
  const { id: module_id } = await modules.create.mutate({ course_id, title: 'First' });
  const [{ id: lesson }] = await Promise.all([
    lessons.create.mutate({ module_id, title: 'A bowline' }),
    lessons.create.mutate({ module_id, title: 'A hitch' }),
  ]);
  const enroll = async (buyer_email: string) =>
    (await enrollments.create.mutate({ course_id, buyer_email })).id;
  const grace = await enroll('grace@example.com');
  const wren = await enroll('wren@example.com');
  await app.deps.database.em.execute(`
    insert into lesson_progress (site_id, enrollment_id, lesson_id, done_at)
    select site_id, id, '${lesson}', now() from enrollments where id = '${grace}'`);
  await page.goto(`${app.baseUrl}/studio/courses/${course_id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Learners' }).click();
  await page.waitForURL(`**/enrollments?course=${course_id}`);
  await page.getByText('In progress: 1 of 2').waitFor();
  await page.getByText('In progress: 0 of 2').waitFor();
  const act = async (email: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${email}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('grace@example.com', 'Mark as finished');
  await page.getByText('grace@example.com marked as finished').waitFor();
  await page.getByText(/^Finished /).waitFor();
  await act('wren@example.com', 'End enrollment');
  await page.getByRole('heading', { name: 'End the enrollment of wren@example.com?' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'End enrollment' }).click();
  await page.getByText('Enrollment of wren@example.com ended').waitFor();
  await page.getByText(/^Ended /).waitFor();
  await act('grace@example.com', 'End enrollment');
  await page.getByRole('button', { name: 'End enrollment' }).click();
  await page.getByText('Enrollment of grace@example.com ended').waitFor();
  await act('grace@example.com', 'Enroll again');
  await page.getByText('grace@example.com enrolled').waitFor();
  const ended = { ended_at: expect.any(Date), completed_at: null };
  const finished = { ended_at: null, completed_at: expect.any(Date), done: 1, of: 2 };
  expect((await enrollments.list.query({ course_id })).items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: wren, ...ended }),
      expect.objectContaining({ id: grace, ...finished }),
    ]),
  );
  expect(await findViolations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a purchase can be recorded for any record, however many newer ones exist', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/');
  const { posts, purchases } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'The first of all' });
  app.clock.advance({ minutes: 1 });
  const { id: like } = await posts.create.mutate({ title: 'Newer', is_draft: true });
  const publish_at = new Date('2099-03-01T08:00:00Z');
  await addScheduledPosts(app.deps.database, {
    siteId: await app.seed.ownSite(),
    like,
    count: 250,
    publish_at,
  });
  await page.goto(`${app.baseUrl}/studio/purchases`);

  await page.getByRole('button', { name: 'Record purchase' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Email' }).fill('grace@example.com');
  await dialog.getByRole('combobox', { name: 'Item' }).fill('first');
  await page.getByRole('option', { name: 'The first of all' }).click();
  await dialog.getByRole('button', { name: 'Record purchase' }).click();
  await page.getByText('Purchase by grace@example.com recorded').waitFor();
  expect((await purchases.list.query({})).items).toMatchObject([{ content_id: id }]);
  expect(faults).toEqual([]);
});

test('an owner empties the trash in one step, after a confirmation that states the number of records', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/');
  const { posts, trash } = ownerClient(app.baseUrl, token).studio;
  for (const title of ['One', 'Two', 'Three']) {
    const { id } = await posts.create.mutate({ title });
    await posts.delete.mutate({ id });
  }
  await page.goto(`${app.baseUrl}/studio/trash`);
  await page.getByRole('button', { name: 'Empty trash' }).click();
  await page.getByText('Permanently delete 3 items from the trash?').waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect((await trash.list.query({})).total).toBe(3);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByText('3 items permanently deleted').waitFor();
  await page.getByRole('heading', { name: 'Trash is empty' }).waitFor();
  expect(await page.getByRole('button', { name: 'Empty trash' }).count()).toBe(0);
  expect((await trash.list.query({})).total).toBe(0);
  expect(faults).toEqual([]);
});
