import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';
import { startTestWorker } from '../support/worker.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('for each field that two writers changed the owner chooses a value, and all other changes are kept', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', excerpt: 'Short', content: 'One\nTwo' });
  const key = await app.seed.key();
  await signIn(app, page, `/posts/${id}`);

  await page.getByRole('textbox', { name: 'Title' }).fill('My boats');
  await page.getByRole('textbox', { name: 'Excerpt' }).fill('My excerpt');
  await app.patch(`/api/v1/posts/${id}`, {
    key,
    body: { title: 'Their boats', excerpt: 'Their excerpt', tags: ['theirs'] },
  });
  await page.getByRole('button', { name: 'Update' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Version of test, a program').first().waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByText('test, a program changed Title, Excerpt while you were writing').waitFor();
  expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('My boats');

  await page.reload();
  await page.getByRole('button', { name: 'Compare and choose' }).click();
  await dialog.getByRole('radiogroup', { name: 'Excerpt' }).getByRole('radio').last().click();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Details' }).click();
  expect(await page.getByRole('textbox', { name: 'Excerpt' }).inputValue()).toBe('Their excerpt');
  await page.getByRole('button', { name: 'Update' }).click();
  await page.getByText('“My boats” updated').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({
    title: 'My boats',
    excerpt: 'Their excerpt',
    tags: ['theirs'],
    revision: 3,
  });
  await takeRefusal(faults, 412);
});

test('a form shows changes of other writers when its window gets the focus, and keeps its edits', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', excerpt: 'Short' });
  const key = await app.seed.key();
  await signIn(app, page, `/posts/${id}`);
  const comeBack = () =>
    page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  const excerpt = page.getByRole('textbox', { name: 'Excerpt' });

  await excerpt.waitFor();
  await app.patch(`/api/v1/posts/${id}`, { key, body: { excerpt: 'Theirs' } });
  await comeBack();
  await page.getByText('test, a program changed this. You see the current version.').waitFor();
  expect(await excerpt.inputValue()).toBe('Theirs');

  await excerpt.fill('Mine');
  await app.patch(`/api/v1/posts/${id}`, { key, body: { excerpt: 'Theirs again' } });
  await comeBack();
  await page.getByText('test, a program changed Excerpt while you were writing').waitFor();
  expect(await excerpt.inputValue()).toBe('Mine');
  expect(await posts.get.query({ id })).toMatchObject({ excerpt: 'Theirs again' });
  expect(faults).toEqual([]);
});

test('an open form shows that its draft was published as scheduled, and stops saving automatically', async () => {
  await using app = await startApp();
  await using _worker = await startTestWorker(app);
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'In a moment', is_draft: true });
  await page.clock.install();
  await signIn(app, page, `/posts/${id}`);
  await page.getByText('Draft', { exact: true }).waitFor();
  // Sooner than the form's next fetch, and later than a slow machine needs to show it.
  const inSeconds = 25;
  await posts.schedule.mutate({ id, publish_at: new Date(Date.now() + inSeconds * 1_000) });
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await page.getByText(/^Scheduled for/).waitFor();

  // Reach the publication time, in the database and in the page.
  await app.deps.database.em.execute('update posts set publish_at = now() where id = ?', [id]);
  await expect.poll(async () => (await posts.get.query({ id })).is_draft).toBe(false);
  await page.clock.fastForward((inSeconds + 1) * 1_000);
  await page.getByText('“In a moment” was published as scheduled').waitFor();
  await page.getByText('Published', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill('Changed since');
  await page.getByText('Unpublished changes').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ title: 'In a moment', is_draft: false });
  expect(faults).toEqual([]);
});
