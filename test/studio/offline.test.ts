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

test('what is typed without a network is kept, said to be, and saved by itself when the network is back', async () => {
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
  await page.getByRole('status').getByText('Offline: kept in this browser').waitFor();
  expect(await findViolations(page)).toEqual([]);
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  expect(kept).toContain('Boats at sea');
  await context.setOffline(false);
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ title: 'Boats at sea' });
});

test('a screen that is opened without a network says so, and shows itself when the network is back', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  await signIn(app, page, '/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.getByRole('link', { name: 'Skills' }).hover();
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Skills' }).click();
  await page.getByRole('heading', { name: 'This couldn’t be loaded' }).waitFor({ timeout: 60_000 });
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'No skills yet' }).waitFor();
});

test('a service that fails takes nothing of what was typed, and takes it when it is asked again', async () => {
  await using app = await startApp();
  const { page } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.waitFor();
  await app.deps.database.em.execute(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$`,
  );
  await app.deps.database.em.execute(
    'create trigger refuse before update on posts for each row execute function refuse()',
  );

  await title.fill('Boats at sea');
  await page.getByRole('alert').getByText('The service had a problem').waitFor();
  expect(await title.inputValue()).toBe('Boats at sea');
  await app.deps.database.em.execute('drop trigger refuse on posts');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ title: 'Boats at sea' });
});
