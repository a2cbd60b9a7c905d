import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { openScreen, signIn, wholeScreen } from '../support/studio.ts';
import { findSmall, phone } from '../support/thumb.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const screens = [
  '/',
  '/posts',
  '/members',
  '/settings',
  '/profile',
  '/analytics',
  '/media',
  '/people',
  '/account',
];

test('on a phone everything that is pressed is as large as a thumb, and typing enlarges no page', {
  timeout: 120_000,
}, async () => {
  await using app = await startApp();
  await fillWithExample(app.deps, await app.seed.ownSite());
  const { page, faults } = await browser.open(phone);
  await signIn(app, page, '/');
  const found: string[] = [];
  const look = async (at: string) => {
    await wholeScreen(page);
    found.push(...(await findSmall(page)).map((what) => `${at}: ${what}`));
  };
  for (const screen of screens) {
    await openScreen(page, `/studio${screen}`);
    await look(screen);
  }
  await openScreen(page, '/studio/posts');
  await page.locator('[data-row]').first().click();
  await page.locator('.cm-content').first().waitFor();
  await look('a post');
  expect(found).toEqual([]);
  expect(faults).toEqual([]);
});

test('on a phone the details of a text open over it, and its tools stay in sight', async () => {
  await using app = await startApp();
  await fillWithExample(app.deps, await app.seed.ownSite());
  const { page, faults } = await browser.open(phone);
  await signIn(app, page, '/posts');
  await page.locator('[data-row]').last().click();
  await page.locator('.cm-content').first().waitFor();
  const details = page.getByRole('complementary', { name: 'Details' });
  expect(await details.count()).toBe(0);
  await page.evaluate(() => window.scrollTo(0, 600));
  const bold = page.getByRole('button', { name: 'Bold' });
  await bold.tap({ trial: true });

  await page.getByRole('button', { name: 'Details' }).tap();
  expect(await details.boundingBox()).toEqual({ x: 0, y: 108, width: 360, height: 632 });
  await details.getByLabel('Excerpt').fill('In two sentences.');
  await page.getByRole('button', { name: 'Details' }).tap();
  await details.waitFor({ state: 'detached' });
  await bold.tap({ trial: true });
  expect(faults).toEqual([]);
});

test('on a phone no long word pushes anything over its edge, and settings are saved from wherever one is', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open(phone);
  const word = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';
  const token = await signIn(app, page, '/settings');
  const { studio } = ownerClient(app.baseUrl, token);
  const { id } = await studio.courses.create.mutate({ title: word });
  const { id: module_id } = await studio.modules.create.mutate({ course_id: id, title: word });
  await studio.lessons.create.mutate({ module_id, title: word });
  await studio.site.update.mutate({ name: word });
  await page.reload();
  await wholeScreen(page);
  const isWithin = async (shown: Locator) => {
    await shown.waitFor();
    const { left, right, top, bottom } = await shown.evaluate((element) => element.getBoundingClientRect());
    return left >= 0 && right <= 360 && top >= 0 && bottom <= 740;
  };
  expect(await isWithin(page.getByRole('button', { name: 'Save' }))).toBe(true);
  expect(await isWithin(page.getByRole('banner').getByRole('link'))).toBe(true);

  await page.getByRole('button', { name: 'Open navigation' }).tap();
  await page.getByRole('button', { name: 'Search or jump to…' }).tap();
  await page.getByRole('textbox', { name: 'Search or jump to…' }).fill(word);
  expect(await isWithin(page.getByRole('dialog').getByText(word))).toBe(true);

  await page.goto(`${app.baseUrl}/studio/courses/${id}/curriculum`);
  for (const title of [
    page.getByRole('heading', { level: 2 }),
    page.getByRole('button', { name: word, exact: true }),
  ]) {
    expect(await isWithin(title)).toBe(true);
    expect(await title.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  }
  expect(faults).toEqual([]);
});

test('on a phone a title that is missing is led to from under the details', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open(phone);
  await signIn(app, page, '/posts/new');
  await page.getByRole('button', { name: 'Details' }).tap();
  await page.getByLabel('Excerpt').fill('In two sentences.');
  await page.getByRole('button', { name: 'Publish' }).tap();
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('textbox', { name: 'Title' }).tap({ trial: true });
  expect(faults).toEqual([]);
});

test('on a phone a draft says that it is saved, and a way back to the list is named', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open(phone);
  await signIn(app, page, '/posts/new');
  await page.getByRole('textbox', { name: 'Title' }).fill('Boats');
  const saved = page.getByText('Saved', { exact: true });
  await saved.waitFor();
  const isWhole = (element: HTMLElement) => element.scrollWidth <= element.clientWidth;
  expect(await saved.evaluate(isWhole)).toBe(true);
  await page.getByRole('main').getByRole('link', { name: 'Posts' }).tap();
  await page.getByText('Boats').waitFor();
  expect(faults).toEqual([]);
});

test('on a phone what is refused in the details is shown over the text, and stays while it is mended', async () => {
  await using app = await startApp();
  const { page } = await browser.open(phone);
  const token = await signIn(app, page, '/posts');
  const { id } = await ownerClient(app.baseUrl, token).studio.posts.create.mutate({
    title: 'A boat',
    is_draft: true,
  });
  await openScreen(page, `/studio/posts/${id}`);
  await page.getByRole('button', { name: 'Details' }).tap();
  const address = page.getByRole('complementary', { name: 'Details' }).getByLabel('Address');
  await address.fill('Not a slug');
  await page.getByRole('button', { name: 'Details' }).tap();
  await address.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Publish' }).tap();
  await address.waitFor();
  await address.fill('');
  await address.pressSequentially('a-slug');
  await page.getByRole('button', { name: 'Details' }).tap();
  await address.waitFor({ state: 'detached' });
});

test('on a phone it is seen beside the button why settings were not saved', async () => {
  await using app = await startApp();
  const { page } = await browser.open(phone);
  await signIn(app, page, '/settings');
  await wholeScreen(page);
  await page.getByLabel('Name of the site').fill('Another name');
  await page.route('**/studio.site.update*', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.getByRole('button', { name: 'Save' }).tap();
  const told = page.locator('form').getByText(/^The service can.t be reached/);
  await told.waitFor();
  const { top, bottom } = await told.evaluate((element) => element.getBoundingClientRect());
  expect(top).toBeGreaterThan(0);
  expect(bottom).toBeLessThanOrEqual(740);
});
