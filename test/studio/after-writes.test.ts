import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { openScreen, signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

// Screens after a write, on a connection with delayed answers.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
let opened: Awaited<ReturnType<typeof browser.open>>;
let studio: ReturnType<typeof ownerClient>['studio'];
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());
// Each test has its own owner and page, so that a failed one leaves no dialog or role behind.
beforeEach(async () => {
  opened = await browser.open();
  studio = ownerClient(app.baseUrl, await signIn(app, opened.page, '/')).studio;
});
afterEach(() => opened.context.close());

/** Delays the first call of a procedure until `release`. */
async function holdFirst(page: Page, procedure: string) {
  const [arrived, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(
    `**/trpc/*${procedure}*`,
    async (route) => {
      arrived.resolve();
      await mayGoOn.promise;
      await route.continue();
    },
    { times: 1 },
  );
  return { arrived: arrived.promise, release: mayGoOn.resolve };
}

test('a saved value shows on other screens immediately, and a late answer updates its form below newer edits', async () => {
  const { page, faults } = opened;
  const step = (isDone: boolean) =>
    page.locator(`li[data-done="${isDone}"]`).filter({ hasText: 'Introduce yourself' });
  const field = (name: string) => page.getByRole('textbox', { name });
  const save = () => page.getByRole('button', { name: 'Save' }).click();
  await step(false).waitFor();
  await openScreen(page, '/profile');
  await field('Headline').fill('Keeper of the light');
  await field('About you').fill('Thirty years of storms.');
  const left = await holdFirst(page, 'studio.profile.get');
  await save();
  await left.arrived;
  await openScreen(page, '/posts');
  left.release();
  const late = await holdFirst(page, 'studio.profile.get');
  await openScreen(page, '/profile');
  await late.arrived;
  await field('Location').fill('Porto');
  late.release();
  await expect.poll(() => field('Headline').inputValue()).toBe('Keeper of the light');
  expect(await field('Location').inputValue()).toBe('Porto');
  await save();
  await expect.poll(async () => (await studio.profile.get.query()).location).toBe('Porto');
  await openScreen(page, '/');
  await step(true).waitFor();
  expect(faults).toEqual([]);
});

test('values typed while a dialog is sending stay in it, and the answer of a closed dialog does not close another one', async () => {
  const { page, faults } = opened;
  for (const from of ['/old', '/older', '/oldest'])
    await studio.redirects.create.mutate({ from, to: '/new', permanent: true });
  await openScreen(page, '/redirects');
  const form = page.getByRole('dialog').filter({ has: page.getByRole('textbox', { name: 'Target' }) });
  const to = form.getByRole('textbox', { name: 'Target' });
  const edit = async (from: string, value: string) => {
    await page.getByRole('button', { name: `Actions for ${from}`, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await to.fill(value);
  };
  const first = await holdFirst(page, 'studio.redirects.update');
  await edit('/oldest', '/pier');
  await form.getByRole('button', { name: 'Save' }).click();
  await first.arrived;
  await to.fill('/quay');
  first.release();
  await page.getByText('/pier').waitFor();
  expect(await to.inputValue()).toBe('/quay');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });

  const { arrived, release } = await holdFirst(page, 'studio.redirects.update');
  await edit('/old', '/harbour');
  await form.getByRole('button', { name: 'Save' }).click();
  await arrived;
  await form.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await edit('/older', '/lighthouse');
  release();
  await page.getByText('/harbour').waitFor();
  expect(await to.inputValue()).toBe('/lighthouse');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });
  const { items } = await studio.redirects.list.query({});
  expect(items.map((one) => one.to).toSorted()).toEqual(['/harbour', '/lighthouse', '/quay']);
  expect(faults).toEqual([]);
});

test('the late answer of a changed role closes no other dialog and keeps the choice in it', async () => {
  const { page, faults } = opened;
  const [first, second] = await Promise.all([app.seed.person('owner'), app.seed.person('owner')]);
  await openScreen(page, '/people');
  const dialog = page.getByRole('dialog', { name: /^Role of/ });
  const rowOf = (person: { email: string }) => page.getByRole('row').filter({ hasText: person.email });
  const choose = async (person: { email: string }, role: string) => {
    await rowOf(person)
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: /role/ }).click();
    await dialog.getByRole('radio', { name: role }).check();
  };
  const { arrived, release } = await holdFirst(page, 'studio.people.update');
  await choose(first, 'Editor');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await arrived;
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await choose(second, 'Author');
  release();
  await rowOf(first).getByText('Editor').waitFor();
  expect(await dialog.getByRole('radio', { name: 'Author' }).isChecked()).toBe(true);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await rowOf(second).getByText('Author').waitFor();
  expect(faults).toEqual([]);
});

test('of two quick clicks on a switch the last one wins, even if the first is slow', async () => {
  const { page, faults } = opened;
  await openScreen(page, '/tools/assistants');
  const control = page.getByRole('switch', { name: 'Assistants allowed' });
  const { arrived, release } = await holdFirst(page, 'studio.site.update');
  const answerTo = (isOn: boolean) =>
    page.waitForResponse((answer) => answer.request().postData()?.includes(`"mcp_enabled":${isOn}`) ?? false);
  await control.click();
  await expect.poll(() => control.isChecked()).toBe(false);
  await control.click();
  await expect.poll(() => control.isChecked()).toBe(true);
  await arrived;
  await Promise.all([answerTo(false), answerTo(true), release()]);
  expect((await studio.site.get.query()).mcp_enabled).toBe(true);
  expect(faults).toEqual([]);
});
