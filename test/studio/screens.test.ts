import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { openScreen, signIn, wholeScreen } from '../support/studio.ts';
import { buildStudio, byColour, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 800 },
];

/** Creates a function that checks a page in the given color schemes and sizes, and collects problems. */
function createInspector(page: Page, looks: readonly (readonly [size: 0 | 1, scheme: 'light' | 'dark'])[]) {
  const found: string[] = [];
  const inspect = async (screen: string) => {
    // Hide tooltips, which are outside of every landmark.
    await page.mouse.move(0, 0);
    await wholeScreen(page);
    for (const [index, colorScheme] of looks) {
      const size = sizes[index];
      if (size) await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      const isDark = colorScheme === 'dark';
      const wrong = isDark ? await findViolations(page, byColour) : await findInLight(page);
      found.push(...wrong.map((what) => `${screen} ${size?.width} ${colorScheme}: ${what}`));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  return { found, inspect };
}

const findInLight = async (page: Page) => [...(await findViolations(page)), ...(await findCutOff(page))];

/** Finds controls that extend beyond the window or their container, except texts with an ellipsis. */
const findCutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isMeant = (element: Element) =>
      element.closest('[role=toolbar], [role=radiogroup], nav, pre') ||
      (element.parentElement && getComputedStyle(element.parentElement).textOverflow === 'ellipsis');
    const controls = [...document.querySelectorAll('main button, main a, main input, [role=dialog] button')];
    const seen = controls.filter((control) => control.checkVisibility() && !isMeant(control));
    const cut = seen.filter((control) => {
      const edge = (control.closest('table')?.parentElement ?? document.body).getBoundingClientRect().right;
      return control.getBoundingClientRect().right > Math.min(edge, innerWidth) + 1;
    });
    return cut.map(({ outerHTML }) => `cut off: ${outerHTML.slice(0, 200)}`);
  });

/** All combinations, in an order that changes only one of the two at a time. */
const every = [
  [0, 'light'],
  [0, 'dark'],
  [1, 'dark'],
  [1, 'light'],
] as const;
/** Empty screens use the elements of others, so one look suffices. */
const few = [[1, 'light']] as const;

/** Screens without an item in the navigation. */
const others = ['/studio/experience', '/studio/skills', '/studio/account'];

/** Returns the paths of all screens in the navigation, of some others, and of one that does not exist. */
async function findScreens(page: Page): Promise<string[]> {
  const links = page.getByRole('navigation', { name: 'Studio' }).getByRole('link');
  await links.first().waitFor();
  for (const folded of await page.locator('nav[aria-label=Studio] summary').all()) await folded.click();
  const positions = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  return [
    ...positions.filter((position) => position.startsWith('/studio')),
    ...others,
    '/studio/no-such-thing',
  ];
}

test.each(['filled', 'empty'] as const)(
  'every screen of a site that is %s is accessible, in light and dark, wide and narrow',
  async (state) => {
    await using app = await startApp({ smtpUrl: 'smtp://127.0.0.1:1' });
    if (state === 'filled') await fillWithExample(app.deps, await app.seed.ownSite());
    const { page, faults, hosts } = await browser.open();
    const token = await signIn(app, page, '/');
    const { found, inspect } = createInspector(page, state === 'filled' ? every : few);
    const sidebar = page
      .getByRole('navigation', { name: 'Studio' })
      .locator('> div:has(a[href="/studio/posts"])');
    await sidebar.getByRole('link').first().waitFor();
    // All items fit into the window of a small laptop.
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await sidebar.evaluate((positions) => positions.scrollHeight - positions.clientHeight)).toBe(0);
    const screens = await findScreens(page);
    expect(screens.length).toBeGreaterThan(Object.keys(resources).length + 10);
    for (const screen of screens) {
      await openScreen(page, screen);
      await inspect(screen);
    }
    const { admin, studio } = ownerClient(app.baseUrl, token);
    const url = 'https://hooks.example.com/site';
    const { id: webhookId } = await admin.webhooks.create.mutate({ url, events: ['content.created'] });
    await openScreen(page, `/studio/tools/webhooks/${webhookId}`);
    await inspect('one of webhooks');
    const { id: post } = await studio.posts.create.mutate({ title: 'News' });
    await openScreen(page, `/studio/posts/${post}/newsletter`);
    await inspect('a newsletter to be sent');
    const { id: mailing } = await studio.mailings.create.mutate({ post_id: post });
    await openScreen(page, `/studio/newsletters/${mailing}`);
    await inspect('one of newsletters');
    for (const collection of ['posts', 'experience', 'courses']) {
      await openScreen(page, `/studio/${collection}${state === 'filled' ? '' : '/new'}`);
      if (state === 'filled') await page.locator('[data-row]').first().click();
      await page.locator('.cm-content').first().waitFor();
      await inspect(`one of ${collection}`);
    }
    if (state === 'filled') {
      const { pathname } = new URL(page.url());
      for (const part of ['history', 'curriculum']) {
        await openScreen(page, `${pathname}/${part}`);
        await inspect(`the ${part} of a course`);
      }
    }

    expect(found).toEqual([]);
    expect(faults).toEqual([]);
    expect([...hosts]).toEqual([new URL(app.baseUrl).host]);
  },
);

/** Dialogs with the button or menu item that opens them. */
const dialogs = [
  ['/tools/api-keys', 'Create key'],
  ['/tools/webhooks', 'Add webhook'],
  ['/purchases', 'Record purchase'],
  ['/enrollments', 'Enroll someone'],
  ['/trash', 'Empty trash'],
  ['/members', /^Actions for/, 'Edit'],
  ['/posts', 'Search or jump to…'],
] as const;

test('every dialog is accessible, in light and dark, wide and narrow', async () => {
  await using app = await startApp();
  await fillWithExample(app.deps, await app.seed.ownSite());
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { found, inspect } = createInspector(page, every);
  for (const [screen, button, item] of dialogs) {
    await openScreen(page, `/studio${screen}`);
    await page.getByRole('button', { name: button }).first().click();
    if (item) await page.getByRole('menuitem', { name: item }).click();
    await page.getByRole('dialog').first().waitFor();
    await inspect(`${button} at ${screen}`);
  }
  const title = 'A draft with a title as long as titles are while nobody has thought about them yet';
  const { id } = await posts.create.mutate({ title, is_draft: true });
  await posts.schedule.mutate({ id, publish_at: '2099-03-01T08:00:00Z' });
  await page.goto(`${app.baseUrl}/studio/posts`);
  await page.getByRole('checkbox', { name: `Select “${title}”` }).click();
  await inspect('posts, one scheduled and selected');
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  await inspect('a scheduled post');
  await page.getByRole('button', { name: 'Schedule…' }).click();
  await page.getByRole('dialog').waitFor();
  await inspect('the schedule of a post');

  expect(found).toEqual([]);
  expect(faults).toEqual([]);
});

/** Maximum compressed size of the scripts for a first visit, in bytes. */
const scriptBudget = 300 * 1024;

test('a first visit loads at most 300 KB of scripts, and the editor loads on first use', async () => {
  await using app = await startApp();
  const { page } = await browser.open();
  const sizesOf = new Map<string, number>();
  page.on('response', (response) => {
    const name = new URL(response.url()).pathname;
    if (name.endsWith('.js')) sizesOf.set(name, Number(response.headers()['content-length']));
  });
  await signIn(app, page, '/');
  await page.getByRole('heading', { name: 'To do' }).waitFor();
  await page.waitForLoadState('networkidle');

  const total = [...sizesOf.values()].reduce((sum, size) => sum + size, 0);
  expect(total, [...sizesOf].join(' ')).toBeLessThanOrEqual(scriptBudget);
  expect([...sizesOf.keys()].some((name) => name.includes('markdown-editor'))).toBe(false);
});
