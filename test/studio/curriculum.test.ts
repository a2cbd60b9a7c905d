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

/** Opens the curriculum of a course with modules A to D. */
async function openCourse(app: TestApp, page: Page) {
  const { courses, modules, curriculum } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id: course_id } = await courses.create.mutate({ title: 'Sailing' });
  for (const [sort_order, title] of ['A', 'B', 'C', 'D'].entries())
    await modules.create.mutate({ course_id, title, sort_order });
  await signIn(app, page, `/courses/${course_id}/curriculum`);
  await page.getByRole('heading', { level: 2, name: 'D' }).waitFor();
  await page.waitForLoadState('networkidle');
  return {
    shown: async () => (await page.getByRole('heading', { level: 2 }).allTextContents()).join(''),
    /** Records every order shown from here on. */
    watch: () =>
      page.evaluate(() => {
        const orders: string[] = [];
        Reflect.set(globalThis, 'orders', orders);
        const look = () =>
          orders.push([...document.querySelectorAll('h2')].map((h2) => h2.textContent).join(''));
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
      }),
    watched: async () => [...new Set(await page.evaluate<string[]>(() => Reflect.get(globalThis, 'orders')))],
    saved: async () => (await curriculum.get.query({ course_id })).modules.map(({ title }) => title).join(''),
    moveDown: async (title: string) => {
      await page.getByRole('button', { name: `Move “${title}”` }).focus();
      for (const [key, told] of [
        ['Space', /lifted an item/],
        ['ArrowDown', /moved the item/],
        ['Space', /dropped the item/],
      ] as const) {
        await page.keyboard.press(key);
        await page.getByText(told).waitFor({ state: 'attached' });
      }
    },
  };
}

/** Delays the first request that reorders modules. */
async function holdFirst(page: Page, change = (body: string) => body) {
  const { promise: letGo, resolve } = Promise.withResolvers<void>();
  const sent: string[] = [];
  await page.route('**/trpc/studio.modules.reorder*', async (route: Route) => {
    const body = route.request().postData() ?? '';
    sent.push(body);
    if (sent.length > 1) return route.continue();
    await letGo;
    await route.continue({ postData: change(body) });
  });
  return { sent, letGo: resolve };
}

test('quick moves of modules are sent one after the other, and the last order is shown all the time and stored', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { shown, saved, moveDown } = await openCourse(app, page);
  const reads: string[] = [];
  const { sent, letGo } = await holdFirst(page);
  page.on('request', (request) => {
    if (request.url().includes('studio.curriculum.get')) reads.push(request.url());
  });
  await moveDown('A');
  await moveDown('A');
  await moveDown('A');
  expect(await shown()).toBe('BCDA');
  expect(await saved()).toBe('ABCD');
  expect(sent).toHaveLength(1);
  letGo();
  await expect.poll(() => reads.length).toBe(1);
  expect(await shown()).toBe('BCDA');
  expect(await saved()).toBe('BCDA');
  expect(sent).toHaveLength(2);
  expect(reads).toHaveLength(1);
  expect(faults).toEqual([]);
});

test('a refused move of a module is undone, and later moves are kept', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { shown, saved, moveDown, watch, watched } = await openCourse(app, page);
  const { letGo } = await holdFirst(page, (body) => body.replace(/"[a-z0-9]{15}"/, '"nosuchmodule000"'));
  await moveDown('A');
  await moveDown('C');
  await watch();
  letGo();
  await page.getByRole('alert').waitFor();
  await expect.poll(saved).toBe('BADC');
  expect(await watched()).toEqual(['BADC']);
  await takeRefusal(faults, 404);

  await page.unrouteAll();
  await page.route('**/trpc/studio.modules.reorder*', (route) =>
    route.continue({
      postData:
        route
          .request()
          .postData()
          ?.replace(/"[a-z0-9]{15}"/, '"nosuchmodule000"') ?? '',
    }),
  );
  await moveDown('B');
  await expect.poll(shown).toBe('BADC');
  expect(await saved()).toBe('BADC');
  await takeRefusal(faults, 404);
});

test('data read while a module is moved does not undo the move, and the next move builds on it', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { shown, saved, moveDown } = await openCourse(app, page);
  const { letGo } = await holdFirst(page);
  await moveDown('A');
  await page.getByRole('button', { name: 'Edit “D”' }).click();
  const title = page.getByRole('dialog').getByRole('textbox', { name: 'Title' });
  await title.fill('E');
  await title.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'E', exact: true }).waitFor();
  expect(await shown()).toBe('BACE');
  await moveDown('A');
  expect(await shown()).toBe('BCAE');
  letGo();
  await expect.poll(saved).toBe('BCAE');
  await page.waitForLoadState('networkidle');
  expect(await shown()).toBe('BCAE');
  expect(faults).toEqual([]);
});
