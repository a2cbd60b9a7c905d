import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { startApp } from '../support/app.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const lists = Object.keys(resources).map((collection) => `/${collection}`);
const others = [
  '/',
  '/members',
  '/subscribers',
  '/testimonials',
  '/purchases',
  '/enrollments',
  '/media',
  '/profile',
  '/settings',
  '/moving',
  '/trash',
  '/tools/api-keys',
  '/tools/webhooks',
  '/tools/assistants',
  '/tools/activity',
  '/no-such-thing',
];

const schemes = ['light', 'dark'] as const;

const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 800 },
];

test.each(['filled', 'empty'] as const)(
  'every screen of a site that is %s can be read and worked by everybody, in light and dark, wide and narrow',
  { timeout: 240_000 },
  async (state) => {
    await using app = await startApp();
    if (state === 'filled') await fillWithExample(app.deps, await app.seed.ownSite());
    const { page, faults, hosts } = await browser.open();
    await signIn(app, page, '/');
    const found: string[] = [];
    const inspect = async (screen: string) => {
      // A tool tip under the pointer belongs to no part of the page.
      await page.mouse.move(0, 0);
      await page.locator('h1, h2, textarea').locator('visible=true').first().waitFor();
      await page.waitForLoadState('networkidle');
      for (const [index, size] of sizes.entries()) {
        await page.setViewportSize(size);
        for (const colorScheme of state === 'filled' ? schemes : schemes.slice(0, index)) {
          await page.emulateMedia({ colorScheme });
          const violations = await findViolations(page);
          found.push(
            ...violations.map((violation) => `${screen} ${size.width} ${colorScheme}: ${violation}`),
          );
        }
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    };
    for (const screen of [...others, ...lists]) {
      await page.goto(`${app.baseUrl}/studio${screen}`);
      await inspect(screen);
    }
    const subscription = await app.post('/api/admin/webhooks', {
      key: await app.seed.ownerToken(),
      body: { url: 'https://hooks.example.com/site', events: ['content.created'] },
    });
    const { id: webhookId } = subscription.body as { id: string };
    await page.goto(`${app.baseUrl}/studio/tools/webhooks/${webhookId}`);
    await inspect('one of webhooks');
    for (const collection of ['posts', 'experience', 'courses']) {
      if (state === 'filled') {
        await page.goto(`${app.baseUrl}/studio/${collection}`);
        await page.locator('[data-row]').first().click();
      } else {
        await page.goto(`${app.baseUrl}/studio/${collection}/new`);
      }
      await page.locator('.cm-content').first().waitFor();
      await inspect(`one of ${collection}`);
    }
    if (state === 'filled') {
      const { pathname } = new URL(page.url());
      for (const part of ['history', 'curriculum']) {
        await page.goto(`${app.baseUrl}${pathname}/${part}`);
        await inspect(`the ${part} of a course`);
      }
    }

    expect(found).toEqual([]);
    expect(faults).toEqual([]);
    expect([...hosts]).toEqual([new URL(app.baseUrl).host]);
  },
);

/** Of scripts, zipped: what a first visit has to wait for. */
const scriptBudget = 300 * 1024;

test('a first visit loads at most 300 KB of scripts, and the editor comes when it is needed', async () => {
  await using app = await startApp();
  const { page } = await browser.open();
  const sizesOf = new Map<string, number>();
  page.on('response', (response) => {
    const name = new URL(response.url()).pathname;
    if (name.endsWith('.js')) sizesOf.set(name, Number(response.headers()['content-length']));
  });
  await signIn(app, page, '/');
  await page.getByRole('heading', { name: 'Latest changes' }).waitFor();
  await page.waitForLoadState('networkidle');

  const total = [...sizesOf.values()].reduce((sum, size) => sum + size, 0);
  expect(total, [...sizesOf].join(' ')).toBeLessThanOrEqual(scriptBudget);
  expect([...sizesOf.keys()].some((name) => name.includes('markdown-editor'))).toBe(false);
});
