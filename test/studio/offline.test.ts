import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('text typed without a network is kept, reported as unsaved, and saved when the network returns', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.waitFor();
  await page.waitForLoadState('networkidle');

  await context.setOffline(true);
  await title.fill('Boats at sea');
  await page.getByRole('status').getByText('Offline: saved in this browser').waitFor();
  expect(await findViolations(page)).toEqual([]);
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  expect(kept).toContain('Boats at sea');
  await context.setOffline(false);
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ title: 'Boats at sea' });
});

test('a screen opened without a network shows a message, and loads when the network returns', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  await signIn(app, page, '/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.waitForLoadState('networkidle');
  // This loads the code that all lists share.
  await page.getByRole('link', { name: 'Projects' }).click();
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Talks' }).click();
  await page.getByRole('heading', { name: 'This couldn’t be loaded' }).waitFor();
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'No talks yet' }).waitFor();
});
