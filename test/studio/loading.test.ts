import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, byColour, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** Holds requests for an address until the returned function is called. */
async function holdBack(page: Page, address: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

test.each(['light', 'dark'] as const)(
  'while code loads, the page shows a message; while rows load, a list shows a placeholder: %s',
  async (colorScheme) => {
    await using app = await startApp();
    const { page, context, faults } = await browser.open({ colorScheme });
    const token = await signIn(app, page, '/../healthz');
    await ownerClient(app.baseUrl, token).studio.posts.create.mutate({ title: 'Boats' });
    const bringCode = await holdBack(page, '**/studio/assets/index-*.js');
    const bringRows = await holdBack(page, '**/trpc/*studio.posts.list*');
    const coming = page.goto(`${app.baseUrl}/studio/posts`);
    const starting = page.getByText('Loading the studio…');
    await starting.waitFor();
    expect(await findViolations(page, byColour)).toEqual([]);
    bringCode();
    await coming;
    await page.getByRole('heading', { name: 'Posts' }).waitFor();
    await page.getByRole('status', { name: 'Loading…' }).waitFor();
    expect(await starting.count()).toBe(0);
    bringRows();
    await page.getByRole('link', { name: 'Boats' }).waitFor();
    expect(await page.getByRole('status', { name: 'Loading…' }).count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  },
);

test('while the overview loads, its list of tasks shows a placeholder instead of an empty list', async () => {
  await using app = await startApp();
  const { page, context, faults } = await browser.open();
  await signIn(app, page, '/../healthz');
  const bringTasks = await holdBack(page, '**/trpc/*studio.testimonials.list*');
  await page.goto(`${app.baseUrl}/studio`);
  const tasks = page.getByRole('region', { name: 'To do' });
  await tasks.getByRole('status', { name: 'Loading…' }).waitFor();
  const nothing = tasks.getByText('Nothing to do.');
  expect(await nothing.count()).toBe(0);
  bringTasks();
  await nothing.waitFor();
  expect(await tasks.getByRole('status').count()).toBe(0);
  expect(faults).toEqual([]);
  await context.close();
});
