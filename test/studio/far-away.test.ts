import type { Page } from 'playwright-core';
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

/** Lets nothing of that address arrive until what it returns is called. */
async function holdBack(page: Page, address: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

test.each(['light', 'dark'] as const)(
  'on a slow way a list is read before its code has come, asked for once, and on the next visit before it is answered, unless the session has ended: %s',
  async (colorScheme) => {
    await using app = await startApp();
    const { page, context, faults } = await browser.open({
      colorScheme,
      viewport: { width: 390, height: 844 },
    });
    const token = await signIn(app, page, '/../healthz');
    const { posts } = ownerClient(app.baseUrl, token).studio;
    await posts.create.mutate({ title: '<b>Boats</b>' });
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('posts.list') && asked.push(request.url()));
    const bringCode = await holdBack(page, '**/studio/assets/index-*.js');
    const coming = page.goto(`${app.baseUrl}/studio/posts`);
    await page.getByRole('listitem').getByText('<b>Boats</b>').waitFor();
    expect(await findViolations(page)).toEqual([]);
    bringCode();
    await coming;
    await page.getByRole('link', { name: '<b>Boats</b>' }).waitFor();
    expect(asked).toHaveLength(1);

    await posts.create.mutate({ title: 'Mills' });
    const answer = await holdBack(page, '**/trpc/studio.posts.list*');
    await page.goto(`${app.baseUrl}/studio/posts`);
    const table = page.getByRole('table', { name: 'Posts' });
    await table.getByRole('link', { name: '<b>Boats</b>' }).waitFor();
    expect(await table.getAttribute('aria-busy')).toBe('true');
    answer();
    await table.getByRole('link', { name: 'Mills' }).waitFor();
    expect([await table.getAttribute('aria-busy'), faults]).toEqual(['false', []]);

    await app.delete('/api/admin/session', { key: token });
    await page.reload();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    expect(await page.getByText('Mills').count()).toBe(0);
    await context.close();
  },
);
