import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** Opens the CV with skills A to D. */
async function openSkills(app: TestApp, page: Page) {
  const { skills } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  for (const [sort_order, name] of ['A', 'B', 'C', 'D'].entries())
    await skills.create.mutate({ name, sort_order });
  await signIn(app, page, '/cv');
  const handles = page.getByRole('region', { name: 'Skills' }).getByRole('button', { name: /^Move “/ });
  await handles.last().waitFor();
  await page.waitForLoadState('networkidle');
  return {
    shown: async () => (await handles.allTextContents()).map((title) => /“(.)”/.exec(title)?.[1]).join(''),
    saved: async () =>
      (await skills.list.query({})).items
        .toSorted((a, b) => Number(a.sort_order) - Number(b.sort_order))
        .map(({ name }) => name)
        .join(''),
    moveDown: async (name: string) => {
      await page.getByRole('button', { name: `Move “${name}”` }).focus();
      for (const [key, told] of [
        ['Space', /lifted an item/],
        ['ArrowDown', /moved the item/],
        ['Space', /dropped the item/],
      ] as const) {
        await page.keyboard.press(key);
        await page.getByText(told).first().waitFor({ state: 'attached' });
      }
    },
  };
}

test('quick moves in a CV are stored as shown, with one call per order', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { shown, saved, moveDown } = await openSkills(app, page);
  const { promise: letGo, resolve } = Promise.withResolvers<void>();
  const sent: string[] = [];
  await page.route('**/trpc/studio.skills.*', async (route: Route) => {
    if (route.request().method() === 'GET') return route.continue();
    sent.push(route.request().url().split('/').at(-1) ?? '');
    if (sent.length === 1) await letGo;
    await route.continue();
  });
  for (const _ of [1, 2, 3]) await moveDown('A');
  expect(await shown()).toBe('BCDA');
  expect([await saved(), sent]).toEqual(['ABCD', ['studio.skills.reorder']]);
  resolve();
  await expect.poll(saved).toBe('BCDA');
  expect(sent).toEqual(['studio.skills.reorder', 'studio.skills.reorder']);
  await page.reload();
  await expect.poll(shown).toBe('BCDA');
  expect(faults).toEqual([]);
});

test('a refused move in a CV is undone and reported', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { shown, saved, moveDown } = await openSkills(app, page);
  await page.route('**/trpc/studio.skills.reorder*', (route) =>
    route.continue({
      postData:
        route
          .request()
          .postData()
          ?.replace(/"[a-z0-9]{15}"/, '"nosuchrecord000"') ?? '',
    }),
  );
  await moveDown('A');
  await page.getByRole('alert').waitFor();
  await expect.poll(shown).toBe('ABCD');
  expect(await saved()).toBe('ABCD');
  await takeRefusal(faults, 404);
});
