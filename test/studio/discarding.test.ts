import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('discarded changes can be restored, even after the form was left', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', content: 'Old', excerpt: 'Short' });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const title = page.getByRole('textbox', { name: 'Title' });
  const excerpt = page.getByRole('textbox', { name: 'Excerpt' });
  await title.fill('A boat at sea');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByText('Changes discarded').waitFor();
  expect(await title.inputValue()).toBe('A boat');
  await excerpt.fill('Typed after it');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => title.inputValue()).toBe('A boat at sea');
  expect(await excerpt.inputValue()).toBe('Typed after it');

  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await page.getByRole('heading', { name: 'Media' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  await page.getByText(/These are your unpublished changes from/).waitFor();
  expect(await title.inputValue()).toBe('A boat at sea');
  expect(faults).toEqual([]);
});

test.each([
  ['Windows', '\r\n'],
  ['old Macs', '\r'],
])('changes to a text with %s line ends are discarded and restored completely', async (_, end) => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', content: `One${end}Two${end}Three` });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const content = page.getByRole('textbox', { name: 'Content' });
  await content.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' and four');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await expect.poll(() => content.locator('.cm-line').allTextContents()).toEqual(['One', 'Two', 'Three']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await content.getByText('Three and four').waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('“A boat” updated').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ content: 'One\nTwo\nThree and four' });
  expect(faults).toEqual([]);
});
