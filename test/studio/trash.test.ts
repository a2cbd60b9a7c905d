import { afterAll, beforeAll, expect, test } from 'vitest';
import { retentionDays } from '../../shared/contract/limits.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('deleted records are restored by Undo or from the trash, or deleted permanently after confirmation', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await studio.posts.create.mutate({ title: 'Read by many' });
  await studio.posts.create.mutate({ title: 'Just begun', is_draft: true });
  const gone = await studio.posts.create.mutate({ title: 'Gone by now', is_draft: true });
  const { id } = await studio.projects.create.mutate({ title: 'A lantern' });
  await studio.projects.delete.mutate({ id });
  await signIn(app, page, '/posts');
  const row = (title: string) => page.getByRole('link', { name: title });

  await page.getByRole('checkbox', { name: 'Select “Gone by now”' }).click();
  await studio.posts.delete.mutate({ id: gone.id });
  await studio.trash.purge.mutate({ collection: 'posts', id: gone.id });
  await page.getByRole('button', { name: 'Delete' }).click();
  await row('Gone by now').waitFor({ state: 'hidden' });
  await takeRefusal(faults, 404);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('toolbar').getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('checkbox', { name: 'Select “Just begun”' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  // Private draft: deleting it needs no confirmation.
  await page.getByText('“Just begun” deleted').waitFor();
  await row('Just begun').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('“Just begun” restored').waitFor();
  await row('Just begun').waitFor();

  await page.getByRole('checkbox', { name: 'Select all' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText(`from the trash for ${retentionDays.trash} days.`).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('2 deleted').waitFor();
  await page.getByRole('heading', { name: 'No posts yet' }).waitFor();

  await page.getByRole('main').getByRole('link', { name: 'Trash' }).click();
  await page.getByText(`are kept for ${retentionDays.trash} days`).waitFor();
  const cells = page.getByRole('table', { name: 'Trash' }).getByRole('row');
  await expect.poll(() => cells.count()).toBe(3);
  expect(new URL(page.url()).search).toBe('?collection=posts');
  await page.getByRole('button', { name: 'Restore “Read by many”' }).click();
  await page.getByText('“Read by many” restored').waitFor();
  await expect.poll(() => cells.count()).toBe(2);
  await page.getByRole('button', { name: 'Actions for Just begun' }).click();
  await page.getByRole('menuitem', { name: 'Delete permanently' }).click();
  await page.getByText('This can’t be undone').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByText('“Just begun” permanently deleted').waitFor();
  await page.getByRole('heading', { name: 'No posts in the trash' }).waitFor();
  await page.getByRole('combobox', { name: 'Show' }).click();
  await page.getByRole('option', { name: 'Everything' }).click();
  await page.getByText('A lantern').waitFor();

  expect((await studio.trash.list.query({})).items).toMatchObject([{ title: 'A lantern' }]);
  expect((await studio.posts.list.query({})).items).toMatchObject([{ title: 'Read by many' }]);
  expect(faults).toEqual([]);
});

test('when the last record of a trash page is removed the previous page shows, and no address opens a page beyond the last', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  for (let number = 1; number <= 51; number++) {
    const { id } = await studio.skills.create.mutate({ name: `Skill ${number}` });
    await studio.skills.delete.mutate({ id });
    app.clock.advance({ minutes: 1 });
  }
  await signIn(app, page, '/trash?collection=skills');
  const rows = page.getByRole('table', { name: 'Trash' }).getByRole('row');
  await page.getByText('1–50 of 51').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('51–51 of 51').waitFor();
  await page.getByRole('button', { name: 'Restore “Skill 1”' }).click();
  await page.getByText('1–50 of 50', { exact: true }).waitFor();
  await expect.poll(() => rows.count()).toBe(51);
  expect(new URL(page.url()).search).toBe('?collection=skills');

  await page.goto(`${app.baseUrl}/studio/trash?page=9`);
  await page.getByText('1–50 of 50', { exact: true }).waitFor();
  await expect.poll(() => rows.count()).toBe(51);
  expect(faults).toEqual([]);
});

test('records removed before emptying the trash failed disappear, and nothing is emptied before it was shown', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  for (const name of ['Sailing', 'Rowing']) {
    const { id } = await studio.skills.create.mutate({ name });
    await studio.skills.delete.mutate({ id });
  }
  await signIn(app, page, '/trash');
  const shown = page.getByRole('table', { name: 'Trash' }).getByText('Sailing', { exact: true });
  const empty = page.getByRole('button', { name: 'Empty trash' });
  await shown.waitFor();
  const { promise: letGo, resolve } = Promise.withResolvers<void>();
  await page.route('**/trpc/studio.trash.list*', async (route) => {
    await letGo;
    await route.continue();
  });
  await page.getByRole('combobox', { name: 'Show' }).click();
  await page.getByRole('option', { name: 'Skills' }).click();
  await page.waitForURL(/collection=skills/);
  await expect.poll(() => empty.isDisabled()).toBe(true);
  resolve();

  let calls = 0;
  await page.route('**/trpc/studio.trash.empty*', async (route) => {
    calls++;
    const postData = route.request().postData()?.replace('skills', 'nosuch') ?? '';
    if (calls > 1) return route.continue({ postData });
    const response = await route.fetch();
    // Pretend that another call is needed.
    await route.fulfill({ response, body: (await response.text()).replace('"count":2', '"count":1') });
  });
  await empty.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByRole('alert').waitFor();
  await shown.waitFor({ state: 'hidden' });
  await takeRefusal(faults, 400);
});
