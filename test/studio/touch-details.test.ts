import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { phone } from '../support/small-touch-targets.ts';
import { openScreen, signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('on a phone the details of a record open over its text, and their buttons stay visible', async () => {
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

test('on a phone Tab stays in the details panel in front of the text, and Escape closes the panel', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open(phone);
  const token = await signIn(app, page, '/');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', content: 'It floats.', is_draft: true });
  await openScreen(page, `/studio/posts/${id}`);
  const button = page.getByRole('button', { name: 'Details' });
  const details = page.getByRole('complementary', { name: 'Details' });
  const isFocused = (position: Locator) => position.evaluate((element) => element === document.activeElement);
  await button.tap();
  expect(await isFocused(details)).toBe(true);
  const content = page.getByRole('textbox', { name: 'Content' });
  await content.focus();
  expect(await isFocused(content)).toBe(false);

  await details.getByLabel('Excerpt').focus();
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'detached' });
  expect(await isFocused(button)).toBe(true);
  await content.focus();
  expect(await isFocused(content)).toBe(true);

  await page.setViewportSize({ width: 820, height: 1100 });
  for (const y of [500, 1000]) {
    await button.tap();
    await details.waitFor();
    await page.touchscreen.tap(320, y);
    await details.waitFor({ state: 'detached' });
  }
  expect(faults).toEqual([]);
});

test('the details panel stays open when a text selection in it ends over the text beside it', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open({ viewport: { width: 900, height: 800 } });
  const token = await signIn(app, page, '/');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', excerpt: 'It floats.', is_draft: true });
  await openScreen(page, `/studio/posts/${id}`);
  await page.getByRole('button', { name: 'Details' }).click();
  const details = page.getByRole('complementary', { name: 'Details' });
  const excerpt = await details.getByLabel('Excerpt').boundingBox();
  if (!excerpt) throw new Error('no excerpt');
  await page.mouse.move(excerpt.x + 60, excerpt.y + 15);
  await page.mouse.down();
  await page.mouse.move(400, excerpt.y + 15, { steps: 5 });
  await page.mouse.up();
  expect(await page.evaluate(() => String(getSelection()))).toContain('It f');
  expect(await details.isVisible()).toBe(true);
  await page.mouse.click(400, excerpt.y + 15);
  await details.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('a failed save is reported with Retry in the details panel while it covers the text', async () => {
  await using app = await startApp();
  const { page } = await browser.open(phone);
  const token = await signIn(app, page, '/');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', is_draft: true });
  await openScreen(page, `/studio/posts/${id}`);
  await page.getByRole('button', { name: 'Details' }).tap();
  const details = page.getByRole('complementary', { name: 'Details' });
  await page.route('**/studio.posts.update*', (route) => route.fulfill({ status: 500, body: '{}' }));
  await details.getByLabel('Excerpt').fill('It floats.');
  const told = page.getByRole('alert').filter({ hasText: 'The service can' });
  await told.waitFor();
  await page.unroute('**/studio.posts.update*');
  await told.getByRole('button', { name: 'Try again' }).tap();
  await told.waitFor({ state: 'detached' });
  await expect.poll(async () => (await posts.get.query({ id })).excerpt).toBe('It floats.');
  expect(await details.isVisible()).toBe(true);
});

test('a details panel with a refused field beside the text does not cover the text when the window gets narrower', async () => {
  await using app = await startApp();
  const { page } = await browser.open({ viewport: { width: 1280, height: 800 } });
  const token = await signIn(app, page, '/');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', is_draft: true });
  await openScreen(page, `/studio/posts/${id}`);
  const details = page.getByRole('complementary', { name: 'Details' });
  const address = details.getByLabel('Address');
  await address.fill('Not a slug');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true');
  await page.setViewportSize({ width: 900, height: 800 });
  await details.waitFor({ state: 'detached' });
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.click();
  await title.fill('Boats');
});

test('on a phone Escape closes a dialog before the details behind it, and the navigation if it is open', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open(phone);
  const token = await signIn(app, page, '/');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', tags: ['sailing'], is_draft: true });
  await openScreen(page, `/studio/posts/${id}`);
  const details = page.getByRole('complementary', { name: 'Details' });
  await page.getByRole('button', { name: 'Details' }).tap();
  await details.getByRole('button', { name: 'Choose image' }).tap();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await details.getByRole('combobox', { name: 'Visibility' }).tap();
  const option = page.getByRole('option', { name: 'Only you' });
  await option.waitFor();
  await page.keyboard.press('Escape');
  await option.waitFor({ state: 'hidden' });
  expect(await details.isVisible()).toBe(true);
  // Without suggestions there is no list that the key could close.
  const tags = details.getByRole('combobox', { name: 'Tags' });
  await tags.fill('oars');
  await tags.press('Escape');
  await details.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Details' }).tap();
  await page.getByRole('button', { name: 'Open navigation' }).tap();
  await page.getByRole('link', { name: 'Courses' }).waitFor();
  const main = page.getByRole('main');
  const isReached = () =>
    main.evaluate((element) => {
      element.focus();
      return element === document.activeElement;
    });
  expect(await isReached()).toBe(false);
  await page.keyboard.press('Escape');
  expect(
    await page
      .getByRole('button', { name: 'Open navigation' })
      .evaluate((burger) => burger === document.activeElement),
  ).toBe(true);
  expect(await details.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('on a phone tags are chosen at their input, however far down the details', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open(phone);
  const token = await signIn(app, page, '/');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  await posts.create.mutate({ title: 'A hull', tags: ['Woodwork'] });
  const { id } = await posts.create.mutate({ title: 'A boat', is_draft: true });
  await openScreen(page, `/studio/posts/${id}`);
  await page.getByRole('button', { name: 'Details' }).tap();
  const tags = page.getByRole('combobox', { name: 'Tags' });
  await tags.tap();
  const option = page.getByRole('option', { name: 'Woodwork' });
  expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(42);
  await option.tap();
  const { top, bottom } = await tags.evaluate((field) => field.getBoundingClientRect());
  expect(top).toBeGreaterThan(108);
  expect(bottom).toBeLessThan(740);
  await expect.poll(async () => (await posts.get.query({ id })).tags).toEqual(['Woodwork']);
  expect(faults).toEqual([]);
});

test('on a phone a missing title closes the details, so that it can be typed', async () => {
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

test('on a phone a refused field in the details opens them over the text, and they stay open while it is corrected', async () => {
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
