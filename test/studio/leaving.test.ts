import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { pictureElement } from '../support/images.ts';
import { ownerClient } from '../support/rpc.ts';
import { delayAnswers, signIn } from '../support/studio.ts';
import { buildStudio, findViolations, noTraffic, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const question = (page: Page) => page.getByRole('dialog', { name: 'Discard your changes?' });
const stay = (page: Page) => question(page).getByRole('button', { name: 'Cancel' }).click();
const discard = (page: Page) => question(page).getByRole('button', { name: 'Discard' }).click();

test.each([
  { screen: '/profile', name: 'Headline', typed: 'Sails slowly' },
  { screen: '/settings', name: 'Site name', typed: 'By the sea' },
])('leaving $screen with unsaved values asks for confirmation', async ({ screen, name, typed }) => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/');
  const link = page.getByRole('link', {
    name: screen === '/profile' ? 'Profile' : 'Design and settings',
    exact: true,
  });
  await link.click();
  const field = page.getByRole('textbox', { name, exact: true });
  await field.fill(typed);

  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await question(page).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await stay(page);
  expect(await field.inputValue()).toBe(typed);
  await page.goBack();
  await stay(page);
  const requested = page.waitForEvent('dialog');
  const closing = page.reload().catch(() => undefined);
  const dialog = await requested;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await Promise.race([closing, field.waitFor()]);
  await page.getByRole('button', { name: 'Olive Owner' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await stay(page);
  expect(await field.inputValue()).toBe(typed);

  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changes saved').waitFor();
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await page.getByRole('heading', { name: 'Media' }).waitFor();
  await link.click();
  await field.fill('Another');
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await discard(page);
  await page.getByRole('heading', { name: 'Media' }).waitFor();
  await link.click();
  await noTraffic(page);
  expect(await field.inputValue()).toBe(typed);
  expect(faults).toEqual([]);
});

test('an edited lesson is not lost by Escape, a click beside it, Cancel or Back', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/courses');
  const { courses, modules, lessons } = ownerClient(app.baseUrl, token).studio;
  const course = await courses.create.mutate({ title: 'Sailing' });
  const module = await modules.create.mutate({ course_id: course.id, title: 'Knots' });
  const lesson = await lessons.create.mutate({ module_id: module.id, title: 'Bowline' });
  await page.getByRole('heading', { name: 'Courses', exact: true }).waitFor();
  await page.goto(`${app.baseUrl}/studio/courses/${course.id}`);
  await page.getByRole('link', { name: 'Curriculum' }).click();
  const form = page.getByRole('dialog', { name: 'Edit lesson' });
  const open = () => page.getByRole('button', { name: 'Bowline', exact: true }).click();

  await open();
  await form.waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'hidden' });
  await open();
  await form.getByRole('textbox', { name: 'Content' }).click();
  await page.keyboard.type('The rabbit comes out of its hole');
  const leave = {
    Escape: () => page.keyboard.press('Escape'),
    'a click beside it': () => page.mouse.click(4, 4),
    Cancel: () => form.getByRole('button', { name: 'Cancel' }).click(),
    Close: () => form.getByRole('button', { name: 'Close' }).click(),
    'going back': () => page.goBack(),
  };
  for (const [way, go] of Object.entries(leave)) {
    await go();
    await question(page).waitFor();
    await question(page).locator('button:focus', { hasText: 'Cancel' }).waitFor();
    if (way === 'Cancel') await page.keyboard.press('Escape');
    else await stay(page);
    await question(page).waitFor({ state: 'hidden' });
    await form.getByText('The rabbit comes out of its hole').waitFor();
  }

  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });
  expect(await lessons.get.query({ id: lesson.id })).toMatchObject({
    content: 'The rabbit comes out of its hole',
  });
  await open();
  await form.getByRole('textbox', { name: 'Title' }).fill('Sheet bend');
  await page.keyboard.press('Escape');
  await discard(page);
  await form.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Bowline', exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('leaving a screen with typed text and an upload asks about the text, which could not be recovered', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/profile');
  await page.getByRole('textbox', { name: 'Headline', exact: true }).fill('Sails slowly');
  await page.route('**/api/admin/media', () => undefined);
  await page.getByRole('textbox', { name: 'About you' }).click();
  const opened = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Image or file' }).first().click();
  const buffer = await pictureElement('png', { width: 120, height: 80 });
  await (await opened).setFiles([{ name: 'boat.png', mimeType: 'image/png', buffer }]);
  await page.getByText('Uploading boat.png').waitFor();
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await question(page).waitFor();
  expect(faults).toEqual([]);
});

test('repeated Back and Forward during the question keep the address and the screen in sync', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/');
  const go = async (name: string) => {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  };
  await go('Media');
  await go('Members');
  await go('Profile');
  const headline = page.getByRole('textbox', { name: 'Headline', exact: true });
  await headline.fill('Sails slowly');
  const at = (screen: string) => page.waitForURL(`${app.baseUrl}/studio${screen}`);
  const travel = async (by: number, screen: string) => {
    await page.evaluate((delta) => history.go(delta), by);
    await at(screen);
  };

  await travel(-1, '/members');
  await question(page).waitFor();
  await travel(-1, '/media');
  await question(page).waitFor();
  await stay(page);
  await at('/profile');
  expect(await headline.inputValue()).toBe('Sails slowly');

  await travel(-1, '/members');
  await question(page).waitFor();
  await travel(1, '/profile');
  await question(page).waitFor({ state: 'hidden' });
  await travel(-1, '/members');
  await discard(page);
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
  await travel(-1, '/media');
  await page.getByRole('heading', { name: 'Media', level: 1 }).waitFor();
  expect(faults).toEqual([]);
});

test('a lesson that is left while it is saving closes no other lesson and is not reported as lost', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/courses');
  const { courses, modules, lessons } = ownerClient(app.baseUrl, token).studio;
  const course = await courses.create.mutate({ title: 'Sailing' });
  const module = await modules.create.mutate({ course_id: course.id, title: 'Knots' });
  for (const title of ['Bowline', 'Reef knot']) await lessons.create.mutate({ module_id: module.id, title });
  await page.goto(`${app.baseUrl}/studio/courses/${course.id}/curriculum`);
  const form = page.getByRole('dialog', { name: 'Edit lesson' });
  const title = form.getByRole('textbox', { name: 'Title' });
  const sending = page.getByRole('dialog', { name: 'Still saving' });
  await page.getByRole('button', { name: 'Bowline', exact: true }).click();
  await title.fill('Bowline on a bight');
  {
    await using updates = await delayAnswers(page, 'studio.lessons.update');
    await title.press('Enter');
    await updates.done(1);
    await page.keyboard.press('Escape');
    await sending.getByRole('button', { name: 'Leave' }).click();
    await form.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Reef knot', exact: true }).click();
    await title.fill('Square knot');
    await updates.letGo();
    await page
      .getByRole('button', { name: 'Bowline on a bight', exact: true, includeHidden: true })
      .waitFor();
    expect(await title.inputValue()).toBe('Square knot');
  }
  await using updates = await delayAnswers(page, 'studio.lessons.update');
  await title.press('Enter');
  await updates.done(1);
  await page.keyboard.press('Escape');
  await sending.waitFor();
  expect(await findViolations(page)).toEqual([]);
  await updates.letGo();
  await sending.waitFor({ state: 'hidden' });
  await form.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Square knot', exact: true }).click();
  expect(faults).toEqual([]);
});
