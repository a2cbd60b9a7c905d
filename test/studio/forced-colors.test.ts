import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** Measures how much the colors in a part of the screen differ. */
async function contrastOf(part: Locator): Promise<number> {
  const { channels } = await sharp(await part.screenshot()).stats();
  return Math.max(...channels.map(({ stdev }) => stdev));
}

test('with forced colors, switches, selections, states and color samples stay visible', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open({ forcedColors: 'active' });
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'A boat' });
  await signIn(app, page, `/posts/${id}`);
  await page.getByRole('textbox', { name: 'Content' }).waitFor();
  const track = page.locator('.mantine-Switch-track').first();
  await expect.poll(() => contrastOf(track)).toBeGreaterThan(10);
  const off = await track.screenshot();
  await track.click();
  await page.mouse.move(0, 0);
  await expect.poll(async () => (await track.screenshot()).equals(off)).toBe(false);

  const chosen = page.locator('.mantine-SegmentedControl-indicator').first();
  await expect.poll(() => chosen.evaluate((mark) => getComputedStyle(mark).outlineStyle)).toBe('solid');

  await page.goto(`${app.baseUrl}/studio/posts`);
  const state = page.locator('[data-tone="good"]').first();
  await state.waitFor();
  const dot = await state.evaluate((element) => getComputedStyle(element, '::before').backgroundColor);
  expect(dot).toBe('rgb(47, 164, 107)');

  await page.goto(`${app.baseUrl}/studio/settings`);
  const swatch = page.locator('.mantine-ColorSwatch-colorOverlay').first();
  await swatch.waitFor();
  expect(await swatch.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
    'rgb(179, 65, 43)',
  );

  await page.goto(`${app.baseUrl}/studio/tools/assistants`);
  const [active, other] = [
    page.locator('[role="tab"][data-active]').first(),
    page.locator('[role="tab"]:not([data-active])').first(),
  ];
  await active.waitFor();
  const line = (tab: Locator) => tab.evaluate((element) => getComputedStyle(element).borderBottomColor);
  expect(await line(active)).not.toBe(await line(other));
  expect(faults).toEqual([]);
});
