import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { findSmall, phone } from '../support/small-touch-targets.ts';
import { openScreen, signIn, wholeScreen } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const screens = [
  '/',
  '/posts',
  '/members',
  '/settings',
  '/profile',
  '/analytics',
  '/media',
  '/people',
  '/account',
];

test('on a phone every control is large enough for a thumb, and typing does not zoom the page', async () => {
  await using app = await startApp();
  await fillWithExample(app.deps, await app.seed.ownSite());
  const { page, faults } = await browser.open(phone);
  await signIn(app, page, '/');
  const found: string[] = [];
  const look = async (at: string) => {
    await wholeScreen(page);
    found.push(...(await findSmall(page)).map((what) => `${at}: ${what}`));
  };
  for (const screen of screens) {
    await openScreen(page, `/studio${screen}`);
    await look(screen);
  }
  await openScreen(page, '/studio/posts');
  await page.locator('[data-row]').first().click();
  await page.locator('.cm-content').first().waitFor();
  await look('a post');
  expect(found).toEqual([]);
  expect(faults).toEqual([]);
});

test('on a phone the touch areas of checkboxes do not overlap', async () => {
  await using app = await startApp();
  const { page } = await browser.open(phone);
  const token = await signIn(app, page, '/posts');
  await ownerClient(app.baseUrl, token).studio.posts.create.mutate({ title: 'A boat' });
  await page.reload();
  // Includes the area that `studio.css` adds to checkboxes.
  const sharedReach = (boxes: Locator) =>
    boxes.evaluateAll((all) => {
      const reach = all.map((box) => {
        const { top, bottom } = box.getBoundingClientRect();
        const more = Number.parseFloat(getComputedStyle(box, '::after').top);
        return [top + more, bottom - more] as const;
      });
      return reach.slice(1).map(([top], index) => Math.max(0, (reach[index]?.[1] ?? 0) - top));
    });
  await page.getByRole('button', { name: 'Filter' }).tap();
  await page.getByRole('menuitem', { name: 'Access' }).tap();
  const tiers = page.getByRole('checkbox', { name: /^(Everyone|Signed-in readers|Buyers|Members)$/ });
  await tiers.first().waitFor();
  expect(await sharedReach(tiers)).toEqual([0, 0, 0]);

  await openScreen(page, '/studio/tools/api-keys');
  await page.getByRole('button', { name: 'Create key' }).first().tap();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /Permissions per content type/ }).tap();
  const scopes = dialog.getByRole('checkbox');
  await scopes.last().scrollIntoViewIfNeeded();
  expect(Math.max(...(await sharedReach(scopes)))).toBe(0);
});

test('on a phone the buttons of a dialog and the focused input stay visible, however long its form', async () => {
  await using app = await startApp();
  const { page } = await browser.open(phone);
  await signIn(app, page, '/tools/api-keys');
  await page.getByRole('button', { name: 'Create key' }).first().tap();
  const create = page.getByRole('dialog').getByRole('button', { name: 'Create key' });
  const { bottom } = await create.evaluate((element) => element.getBoundingClientRect());
  expect(bottom).toBeLessThanOrEqual(740);
  await create.tap({ trial: true });

  const dialog = page.getByRole('dialog');
  await dialog.locator(':focus').waitFor();
  const hidden: string[] = [];
  const lookFrom = async (key: 'Tab' | 'Shift+Tab', last: Locator) => {
    while (!(await last.evaluate((element) => element === document.activeElement))) {
      await page.keyboard.press(key);
      const behind = await dialog.evaluate((element) => {
        const focused = document.activeElement;
        const [head, foot] = ['header', 'form > div > :last-child'].map((part) =>
          element.querySelector(part),
        );
        if (!head || !foot) throw new Error('the dialog has no header or no buttons');
        if (!focused?.closest('fieldset')) return [];
        const { top, bottom } = focused.getBoundingClientRect();
        const isSeen =
          top >= head.getBoundingClientRect().bottom && bottom <= foot.getBoundingClientRect().top;
        return isSeen ? [] : [focused.textContent || focused.outerHTML.slice(0, 120)];
      });
      hidden.push(...behind.map((name) => `${key} ${name}`));
    }
  };
  await lookFrom('Tab', create);
  await lookFrom('Shift+Tab', dialog.getByRole('textbox').first());
  expect(hidden).toEqual([]);
});

test('on a phone long words do not overflow, and settings can be saved from any scroll position', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open(phone);
  const word = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';
  const token = await signIn(app, page, '/settings');
  const { studio } = ownerClient(app.baseUrl, token);
  const { id } = await studio.courses.create.mutate({ title: word });
  const { id: module_id } = await studio.modules.create.mutate({ course_id: id, title: word });
  await studio.lessons.create.mutate({ module_id, title: word });
  await studio.site.update.mutate({ name: word });
  await page.reload();
  await wholeScreen(page);
  const isWithin = async (shown: Locator) => {
    await shown.waitFor();
    const { left, right, top, bottom } = await shown.evaluate((element) => element.getBoundingClientRect());
    return left >= 0 && right <= 360 && top >= 0 && bottom <= 740;
  };
  expect(await isWithin(page.getByRole('button', { name: 'Save' }))).toBe(true);
  expect(await isWithin(page.getByRole('banner').getByRole('link'))).toBe(true);

  await page.getByRole('button', { name: 'Open navigation' }).tap();
  await page.getByRole('button', { name: 'Search or jump to…' }).tap();
  await page.getByRole('textbox', { name: 'Search or jump to…' }).fill(word);
  expect(await isWithin(page.getByRole('dialog').getByText(word))).toBe(true);

  await page.goto(`${app.baseUrl}/studio/courses/${id}/curriculum`);
  for (const title of [
    page.getByRole('heading', { level: 2 }),
    page.getByRole('button', { name: word, exact: true }),
  ]) {
    expect(await isWithin(title)).toBe(true);
    expect(await title.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  }
  expect(faults).toEqual([]);
});

test('on a phone a draft shows that it is saved, and the link back to the list has a name', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open(phone);
  await signIn(app, page, '/posts/new');
  await page.getByRole('textbox', { name: 'Title' }).fill('Boats');
  const saved = page.getByText('Saved', { exact: true });
  await saved.waitFor();
  const isWhole = (element: HTMLElement) => element.scrollWidth <= element.clientWidth;
  expect(await saved.evaluate(isWhole)).toBe(true);
  await page.getByRole('main').getByRole('link', { name: 'Posts' }).tap();
  await page.getByText('Boats').waitFor();
  expect(faults).toEqual([]);
});

test('on a phone the reason for unsaved settings is visible beside the button', async () => {
  await using app = await startApp();
  const { page } = await browser.open(phone);
  await signIn(app, page, '/settings');
  await wholeScreen(page);
  await page.getByLabel('Site name').fill('Another name');
  await page.route('**/studio.site.update*', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.getByRole('button', { name: 'Save' }).tap();
  const told = page.locator('form').getByText(/^The service can.t be reached/);
  await told.waitFor();
  const { top, bottom } = await told.evaluate((element) => element.getBoundingClientRect());
  expect(top).toBeGreaterThan(0);
  expect(bottom).toBeLessThanOrEqual(740);
});

test('on a desktop the sections of the settings stay in reach, and a new site offers to import content', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open({ viewport: { width: 1280, height: 800 } });
  await signIn(app, page, '/');
  await page.getByRole('link', { name: 'Or import existing content' }).click();
  await page.getByRole('heading', { name: 'Export and import' }).waitFor();
  await openScreen(page, '/studio/settings');
  await wholeScreen(page);
  const parts = page.getByRole('navigation', { name: 'On this page' });
  await parts.getByRole('link', { name: 'Newsletter' }).click();
  const isSeen = async (shown: Locator) => {
    const box = await shown.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= 800;
  };
  await expect.poll(() => isSeen(page.getByLabel('Sender name'))).toBe(true);
  expect(await isSeen(parts)).toBe(true);
  await parts.getByRole('link', { name: 'Name and address' }).click();
  await expect.poll(() => isSeen(page.getByLabel('Site name'))).toBe(true);
  expect(faults).toEqual([]);
});
