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

test('changes that were discarded come back, also after the form was left', async () => {
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
  await page.getByText('Your changes are discarded').waitFor();
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
  await page.getByText(/These are your changes from/).waitFor();
  expect(await title.inputValue()).toBe('A boat at sea');
  expect(faults).toEqual([]);
});
