import { afterAll, beforeAll, expect, test } from 'vitest';
import { retentionDays } from '../../shared/contract/limits.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { openScreen, signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('a module is deleted only after confirmation, and is restored with its lessons by Undo or from the trash', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/courses');
  const { courses, modules, lessons, curriculum } = ownerClient(app.baseUrl, token).studio;
  const course = await courses.create.mutate({ title: 'Sailing' });
  const module = await modules.create.mutate({ course_id: course.id, title: 'Knots' });
  for (const [sort_order, title] of ['Bowline', 'Reef knot'].entries())
    await lessons.create.mutate({ module_id: module.id, title, sort_order });
  const outline = () => curriculum.get.query({ course_id: course.id });
  const before = await outline();
  await page.goto(`${app.baseUrl}/studio/courses/${course.id}/curriculum`);
  const form = page.getByRole('dialog', { name: 'Edit module' });
  const question = page.getByRole('dialog', { name: 'Delete “Knots”?' });

  await page.getByRole('button', { name: 'Edit “Knots”' }).click();
  await form.getByRole('textbox', { name: 'Title' }).fill('Knots and bends');
  await form.getByRole('button', { name: 'Delete' }).click();
  await question.getByText('Its 2 lessons are deleted, too').waitFor();
  await question.getByText(`${retentionDays.trash} days`).waitFor();
  await question.getByText('Unsaved changes are lost').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  expect(await form.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Knots and bends');
  expect(await outline()).toEqual(before);

  await form.getByRole('button', { name: 'Delete' }).click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No modules yet' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('“Knots” restored').waitFor();
  await page.getByRole('button', { name: 'Reef knot', exact: true }).waitFor();
  expect(await outline()).toMatchObject({
    modules: [{ title: 'Knots', lessons: [{ title: 'Bowline' }, { title: 'Reef knot' }] }],
  });

  await page.getByRole('button', { name: 'Edit “Knots”' }).click();
  await form.getByRole('button', { name: 'Delete' }).click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No modules yet' }).waitFor();
  await openScreen(page, '/trash');
  const shown = Promise.withResolvers<void>();
  await page.route('**/trpc/studio.trash.restore*', async (route) => {
    await shown.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Restore “Knots”' }).click();
  await openScreen(page, `/courses/${course.id}/curriculum`);
  await page.getByRole('heading', { name: 'No modules yet' }).waitFor();
  shown.resolve();
  await page.getByRole('button', { name: 'Reef knot', exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('a new module or lesson comes last, whatever positions the others have', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/courses');
  const { courses, modules, curriculum } = ownerClient(app.baseUrl, token).studio;
  const course = await courses.create.mutate({ title: 'Sailing' });
  await modules.create.mutate({ course_id: course.id, title: 'Last', sort_order: 2_000_000_000 });
  await page.goto(`${app.baseUrl}/studio/courses/${course.id}/curriculum`);
  for (const [kind, title] of [
    ['module', 'Knots'],
    ['lesson', 'Bowline'],
    ['lesson', 'Reef knot'],
  ] as const) {
    await page
      .getByRole('button', { name: `Add ${kind}` })
      .last()
      .click();
    const form = page.getByRole('dialog', { name: `Add ${kind}` });
    await form.getByRole('textbox', { name: 'Title' }).fill(title);
    await form.getByRole('button', { name: `Add ${kind}` }).click();
    await form.waitFor({ state: 'hidden' });
    await page.getByText(title, { exact: true }).waitFor();
  }
  expect(await curriculum.get.query({ course_id: course.id })).toMatchObject({
    modules: [
      { title: 'Last' },
      {
        title: 'Knots',
        sort_order: 2_000_000_001,
        lessons: [
          { title: 'Bowline', sort_order: 0 },
          { title: 'Reef knot', sort_order: 1 },
        ],
      },
    ],
  });
  expect(faults).toEqual([]);
});

test('closing a form returns the focus to its button, and of several lessons that load slowly the last one opens', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { courses, modules, lessons } = ownerClient(app.baseUrl, await signIn(app, page, '/courses')).studio;
  const { id: course_id } = await courses.create.mutate({ title: 'Sailing' });
  const { id: module_id } = await modules.create.mutate({ course_id, title: 'Knots' });
  for (const title of ['Bowline', 'Reef knot']) await lessons.create.mutate({ module_id, title });
  await page.goto(`${app.baseUrl}/studio/courses/${course_id}/curriculum`);
  const form = page.getByRole('dialog', { name: 'Edit module' });
  await page.getByRole('button', { name: 'Edit “Knots”' }).press('Enter');
  await form.locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'hidden' });
  await page.locator('button:focus[aria-label="Edit “Knots”"]').waitFor();

  const both = Promise.withResolvers<void>();
  const answered: Promise<void>[] = [];
  await page.route('**/trpc/studio.lessons.get*', async (route) => {
    const before = answered.at(-1);
    const turn = both.promise.then(() => before).then(() => route.continue());
    answered.push(turn);
    await turn;
  });
  for (const name of ['Bowline', 'Reef knot']) await page.getByRole('button', { name, exact: true }).click();
  await expect.poll(() => answered.length).toBe(2);
  both.resolve();
  const lesson = page.getByRole('dialog', { name: 'Edit lesson' });
  await lesson.waitFor();
  expect(await lesson.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Reef knot');
  expect(faults).toEqual([]);
});

test('an owner publishes the lessons of a course, and opens one lesson to everyone', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/courses');
  const { courses, modules, lessons } = ownerClient(app.baseUrl, token).studio;
  const course = await courses.create.mutate({ title: 'Sailing' });
  const module = await modules.create.mutate({ course_id: course.id, title: 'Knots' });
  const lesson = await lessons.create.mutate({ module_id: module.id, title: 'Bowline' });
  await page.goto(`${app.baseUrl}/studio/courses/${course.id}`);
  const publish = page.getByRole('switch', { name: 'Publish lessons' });
  await publish.focus();
  await page.keyboard.press('Space');
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Update' }).click();
  await expect.poll(async () => (await courses.get.query({ id: course.id })).lessons_published).toBe(true);
  await page.goto(`${app.baseUrl}/studio/courses/${course.id}/curriculum`);
  await page.getByRole('button', { name: 'Bowline', exact: true }).click();
  await page.getByRole('switch', { name: 'Anyone may read this lesson' }).focus();
  await page.keyboard.press('Space');
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await lessons.get.query({ id: lesson.id })).is_preview).toBe(true);
  expect(faults).toEqual([]);
});
