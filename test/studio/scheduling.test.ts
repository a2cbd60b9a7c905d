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

test('an owner schedules a draft, sees the time in the form and the list, and cancels it', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat in spring', is_draft: true });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);

  await page.getByRole('button', { name: 'Schedule…' }).click();
  await page.getByLabel('Publish on').fill('2099-03-01T08:30');
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByText('“A boat in spring” will be published on').waitFor();
  await page.getByText(/^Scheduled for .*2099/).waitFor();
  const timestamp = await page.evaluate(() => new Date('2099-03-01T08:30').toISOString());
  expect(await posts.get.query({ id })).toMatchObject({ is_draft: true, publish_at: new Date(timestamp) });

  await page.goto(`${app.baseUrl}/studio/posts`);
  await page.getByText(/^Scheduled for .*2099/).waitFor();
  await page.getByRole('link', { name: 'A boat in spring' }).click();
  await page.getByRole('button', { name: 'Schedule…' }).click();
  expect(await page.getByLabel('Publish on').inputValue()).toBe('2099-03-01T08:30');
  await page.getByRole('button', { name: 'Cancel schedule' }).click();
  await page.getByText('Schedule canceled: “A boat in spring” stays a draft').waitFor();
  await page.getByText('Draft', { exact: true }).waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ is_draft: true, publish_at: null });
  expect(faults).toEqual([]);
});
