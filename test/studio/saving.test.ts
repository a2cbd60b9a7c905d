import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { delayAnswers, signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('a record is created once, however often it is saved or published in the meantime', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await signIn(app, page, '/posts/new');
  await using creates = await delayAnswers(page, 'studio.posts.create');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('A boat in winter');
  await creates.done(1);
  await title.press('Control+s');
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('textbox', { name: 'Excerpt' }).fill('It froze.');
  await page.keyboard.press('Control+s');
  expect(creates.calls()).toBe(1);
  await page.getByRole('button', { name: 'Publish' }).click();
  await creates.letGo();
  await page.getByText('“A boat in winter” published').waitFor();
  expect(creates.calls()).toBe(1);
  expect((await posts.list.query({})).items).toMatchObject([
    { slug: 'a-boat-in-winter', excerpt: 'It froze.', is_draft: false },
  ]);
  expect(faults).toEqual([]);
});

test('a new record that is left during its creation is published afterwards, without navigating back', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await signIn(app, page, '/posts/new');
  await using creates = await delayAnswers(page, 'studio.posts.create');
  await page.getByRole('textbox', { name: 'Title' }).fill('Boats');
  await creates.done(1);
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await page.getByRole('heading', { name: 'Media' }).waitFor();
  await creates.letGo();
  await page.getByText('“Boats” published').waitFor();
  expect(page.url()).toBe(`${app.baseUrl}/studio/media`);
  expect((await posts.list.query({})).items).toMatchObject([{ title: 'Boats', is_draft: false }]);
  expect(creates.calls()).toBe(1);
  expect(faults).toEqual([]);
});
