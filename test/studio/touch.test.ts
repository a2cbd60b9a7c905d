import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { startApp } from '../support/app.ts';
import { openScreen, signIn, wholeScreen } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** What a thumb misses, and what iPhones enlarge the page around when it is typed into. */
const findSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const typed = 'input:not([type=checkbox], [type=radio], [type=file]), textarea, .cm-content';
    const pressed = `button, [role=menuitem], summary, input[type=checkbox], ${typed}`;
    // Words within what is pressed as a whole, buttons of a pill, and steps that a keyboard has.
    const within = '.mantine-Pill-root, [data-type=hidden], .mantine-NumberInput-controls, p';
    // Of two pixels a border takes one each.
    const isLarge = (element: Element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const { content, position, inset } = getComputedStyle(element, '::after');
      const around = content !== 'none' && position === 'absolute' ? -Number.parseFloat(inset) : 0;
      const least = element.closest('[role=toolbar]') ? 36 : 44;
      return (
        left + width < 0 || top + height < 0 || (width + 2 * around >= least && height + 2 * around >= 42)
      );
    };
    const name = (element: Element) =>
      element.ariaLabel ?? (element.textContent || element.outerHTML.slice(0, 120));
    const seen = [...document.querySelectorAll(pressed)].filter(
      (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(within),
    );
    const small = seen.filter((element) => element.getBoundingClientRect().width > 1 && !isLarge(element));
    const fine = seen.filter(
      (element) => element.matches(typed) && Number.parseFloat(getComputedStyle(element).fontSize) < 16,
    );
    return [
      ...small.map((element) => `small: ${name(element)}`),
      ...fine.map((element) => `fine: ${name(element)}`),
    ];
  });

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

test('on a phone everything that is pressed is as large as a thumb, and typing enlarges no page', {
  timeout: 120_000,
}, async () => {
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

test('on a phone the details of a text open over it, and its tools stay in sight', async () => {
  await using app = await startApp();
  await fillWithExample(app.deps, await app.seed.ownSite());
  const { page, faults } = await browser.open(phone);
  await signIn(app, page, '/posts');
  await page.locator('[data-row]').last().click();
  await page.locator('.cm-content').first().waitFor();
  const details = page.getByRole('complementary', { name: 'Details' });
  expect(await details.count()).toBe(0);
  await page.evaluate(() => window.scrollTo(0, 600));
  const bold = page.getByRole('button', { name: 'Bold' });
  await bold.tap({ trial: true });

  await page.getByRole('button', { name: 'Details' }).tap();
  expect(await details.boundingBox()).toEqual({ x: 0, y: 108, width: 360, height: 632 });
  await details.getByLabel('Excerpt').fill('In two sentences.');
  await page.getByRole('button', { name: 'Details' }).tap();
  await details.waitFor({ state: 'detached' });
  await bold.tap({ trial: true });
  expect(faults).toEqual([]);
});

test('on a phone a draft says that it is saved, and a way back to the list is named', async () => {
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
