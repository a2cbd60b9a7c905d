import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { delayAnswers, signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** Delivers requests of a procedure but drops their answers until `deliver` is called. */
async function loseAnswers(page: Page, procedure: string) {
  let done = 0;
  let isDelivering = false;
  await page.route(`**/trpc/${procedure}*`, async (route) => {
    if (isDelivering) return route.continue();
    await route.fetch();
    done++;
    await route.abort();
  });
  return {
    /** Waits until the service has handled a request. */
    arrived: () => expect.poll(() => done).toBeGreaterThan(0),
    /** Keep the route: removing it could drop requests of a page that is loading. */
    deliver() {
      isDelivering = true;
    },
  };
}

test('a draft whose first answer was lost becomes one draft with later edits, saved automatically after a reload', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const token = await signIn(app, page, '/posts/new');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const creates = await loseAnswers(page, 'studio.posts.create');
  await page.getByRole('textbox', { name: 'Title' }).fill('A boat');
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('textbox', { name: 'Excerpt' }).fill('Short');
  await creates.arrived();
  await page.getByRole('textbox', { name: 'Title' }).fill('A boat in winter');
  await page.getByRole('textbox', { name: 'Excerpt' }).fill('');
  // The request that the page sends right after loading must not be dropped.
  await page.reload({ waitUntil: 'commit' });
  creates.deliver();
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  expect((await posts.list.query({})).items).toMatchObject([{ title: 'A boat in winter', excerpt: '' }]);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('A boat');
  await context.close();
});

test('an API key whose answer was lost is created once, and its secret is shown after the request is repeated', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const token = await signIn(app, page, '/tools/api-keys');
  const { apiKeys } = ownerClient(app.baseUrl, token).admin;
  const creates = await loseAnswers(page, 'admin.apiKeys.create');
  const dialog = page.getByRole('dialog', { name: 'Create key' });
  const open = () => page.getByRole('button', { name: 'Create key' }).first().click();
  await open();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Static site');
  await page.getByRole('checkbox', { name: 'read', exact: true }).click();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await creates.arrived();
  page.on('dialog', (question) => void question.accept());
  await page.reload();
  creates.deliver();

  await open();
  await dialog.getByRole('status').getByText('The last request got no answer').waitFor();
  await page.waitForFunction(
    () => !document.getAnimations().some(({ playState }) => playState === 'running'),
  );
  expect(await findViolations(page)).toEqual([]);
  expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Static site');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Static pages');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = await page
    .getByRole('dialog')
    .getByText(/^svc_live_/)
    .textContent();
  expect((await app.get('/api/v1/posts', { key: secret ?? '' })).status).toBe(200);
  expect((await apiKeys.list.query()).data).toMatchObject([{ name: 'Static pages', scopes: ['read'] }]);
  await context.close();
});

test('a form that is submitted again during its request, without new values, is sent once', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const { profile } = ownerClient(app.baseUrl, await signIn(app, page, '/profile')).studio;
  const [arrived, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let writes = 0;
  await page.route('**/trpc/studio.profile.update*', async (route) => {
    writes++;
    arrived.resolve();
    await mayGoOn.promise;
    await route.continue();
  });
  const headline = page.getByRole('textbox', { name: 'Headline' });
  await headline.fill('Porto');
  await headline.press('Control+s');
  await headline.press('Control+s');
  await arrived.promise;
  await headline.press('Control+s');
  mayGoOn.resolve();
  await page.getByText('Changes saved').waitFor();
  await headline.fill('Lisbon');
  await headline.press('Control+s');
  await expect.poll(async () => (await profile.get.query()).headline).toBe('Lisbon');
  expect(writes).toBe(2);
  await context.close();
});

test('values typed and submitted during a request of the form are sent after it', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { profile } = ownerClient(app.baseUrl, await signIn(app, page, '/profile')).studio;
  await using updates = await delayAnswers(page, 'studio.profile.update');
  const headline = page.getByRole('textbox', { name: 'Headline' });
  await headline.fill('Porto');
  await headline.press('Control+s');
  await updates.done(1);
  await headline.fill('Lisbon');
  await headline.press('Control+s');
  await updates.letGo();
  await expect.poll(async () => (await profile.get.query()).headline).toBe('Lisbon');
  expect([updates.calls(), faults]).toEqual([2, []]);
});

test('a purchase whose answer was lost is recorded once, and its form stays unchanged until the outcome is known', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const token = await signIn(app, page, '/purchases');
  const { studio } = ownerClient(app.baseUrl, token);
  await studio.posts.create.mutate({ title: 'The first of all' });
  const records = await loseAnswers(page, 'studio.purchases.record');
  const dialog = page.getByRole('dialog', { name: 'Record purchase' });
  const open = () => page.getByRole('button', { name: 'Record purchase' }).first().click();
  const send = () => dialog.getByRole('button', { name: 'Record purchase' }).click();
  await open();
  await dialog.getByRole('textbox', { name: 'Email' }).fill('grace@example.com');
  await dialog.getByRole('combobox', { name: 'Item' }).fill('first');
  await page.getByRole('option', { name: 'The first of all' }).click();
  await send();
  await records.arrived();
  page.on('dialog', (question) => void question.accept());
  await page.reload();
  records.deliver();

  await open();
  await dialog.getByRole('status').getByText('The last request got no answer').waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Email' }).isDisabled()).toBe(true);
  await send();
  await dialog.waitFor({ state: 'hidden' });
  expect((await studio.purchases.list.query({})).items).toMatchObject([{ buyer_email: 'grace@example.com' }]);
  await context.close();
});
