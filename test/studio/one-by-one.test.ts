import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('nothing is discarded while it is being saved, and what is typed meanwhile is saved after it', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats' });
  await signIn(app, page, `/posts/${id}`);
  await using updates = await holdAnswers(page, 'studio.posts.update');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Old boats');
  await title.press('Control+s');
  await updates.done(1);
  await page.getByRole('button', { name: 'Discard changes' }).click({ force: true });
  await title.fill('New boats');
  await title.press('Control+s');
  await updates.letGo();
  await page.getByText('“New boats” is updated').waitFor();
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ title: 'New boats' });
  expect(updates.calls()).toBe(2);
  expect(faults).toEqual([]);
});

test('Undo of publishing waits for a save that is under way, and what is wanted after both is done', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  await page.getByRole('button', { name: 'Publish' }).click();
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.hover();
  await using updates = await holdAnswers(page, 'studio.posts.update');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Old boats');
  await title.press('Control+s');
  await updates.done(1);
  await undo.click();
  await undo.waitFor({ state: 'hidden' });
  await title.press('Control+k');
  await page.getByPlaceholder('Search or jump to…').press('Escape');
  expect(updates.calls()).toBe(1);
  await updates.letGo();
  await page.getByText('“Boats” is a draft again').waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('“Old boats” is published').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ title: 'Old boats', is_draft: false });
  expect(faults).toEqual([]);
});

test('a draft is published though its form was left before that had its turn', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  await using updates = await holdAnswers(page, 'studio.posts.update');
  await page.getByRole('textbox', { name: 'Title' }).fill('Old boats');
  await updates.done(1);
  await page.getByRole('textbox', { name: 'Excerpt' }).fill('Many');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await page.getByRole('heading', { name: 'Media' }).waitFor();
  await updates.letGo();
  await page.getByText('“Old boats” is published').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({
    title: 'Old boats',
    excerpt: 'Many',
    is_draft: false,
  });
  expect(faults).toEqual([]);
});

test('a new record that is left while it is being created is published in its turn, and brings nobody back', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await signIn(app, page, '/posts/new');
  await using creates = await holdAnswers(page, 'studio.posts.create');
  await page.getByRole('textbox', { name: 'Title' }).fill('Boats');
  await creates.done(1);
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await page.getByRole('heading', { name: 'Media' }).waitFor();
  await creates.letGo();
  await page.getByText('“Boats” is published').waitFor();
  expect(page.url()).toBe(`${app.baseUrl}/studio/media`);
  expect((await posts.list.query({})).items).toMatchObject([{ title: 'Boats', is_draft: false }]);
  expect(creates.calls()).toBe(1);
  expect(faults).toEqual([]);
});
