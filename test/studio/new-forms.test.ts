import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

type Login = Awaited<ReturnType<TestApp['seed']['owner']>>;

/** Opens a tab with the form of a new post. */
async function openForm(app: TestApp, context: BrowserContext, login: Login) {
  const page = await context.newPage();
  const token = await signIn(app, page, '/posts/new', login);
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.waitFor();
  return { page, token, title };
}

test('new posts in two tabs keep their own edits, and the next form restores those of a closed tab', async () => {
  await using app = await startApp();
  const { context } = await browser.open();
  const login = await app.seed.owner();
  await context.route('**/trpc/studio.posts.create*', (route) => route.abort());
  const boat = await openForm(app, context, login);
  await boat.title.fill('A boat');
  const mill = await openForm(app, context, login);
  expect(await mill.title.inputValue()).toBe('');
  await mill.title.fill('A mill');
  await boat.title.fill('A boat in winter');
  for (const { page } of [boat, mill]) await page.reload();
  await expect.poll(() => boat.title.inputValue()).toBe('A boat in winter');
  await expect.poll(() => mill.title.inputValue()).toBe('A mill');

  await mill.page.close();
  const next = await openForm(app, context, login);
  await expect.poll(() => next.title.inputValue()).toBe('A mill');
  const last = await openForm(app, context, login);
  expect(await last.title.inputValue()).toBe('');

  await app.delete('/api/admin/session', { key: boat.token });
  await boat.page.reload();
  await boat.page.getByText('Your session has ended').waitFor();
  await boat.page.getByRole('textbox', { name: 'Password' }).fill(login.password);
  await boat.page.keyboard.press('Enter');
  await boat.page.getByText('Your session has ended').waitFor({ state: 'hidden' });
  expect(await boat.title.inputValue()).toBe('A boat in winter');
});

test('a new post with a lost answer is not confused with that of another tab', async () => {
  await using app = await startApp();
  const { context } = await browser.open();
  const login = await app.seed.owner();
  const boat = await openForm(app, context, login);
  let lost = 0;
  await boat.page.route('**/trpc/studio.posts.create*', async (route) => {
    await route.fetch();
    lost++;
    await route.abort();
  });
  await boat.title.fill('A boat');
  await expect.poll(() => lost).toBeGreaterThan(0);
  const mill = await openForm(app, context, login);
  await mill.title.fill('A mill');
  await mill.page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  await mill.page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await boat.page.close();
  const { posts } = ownerClient(app.baseUrl, mill.token).studio;
  expect((await posts.list.query({})).items.map(({ title }) => title).sort()).toEqual(['A boat', 'A mill']);
});
