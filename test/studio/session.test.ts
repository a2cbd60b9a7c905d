import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { buildStudio, findViolations, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('the studio asks for the password, keeps the session through a reload, and forgets it on sign-out', async () => {
  await using app = await startApp();
  const { email, password } = await app.seed.owner();
  const { page, faults, hosts } = await browser.open();

  await page.goto(`${app.baseUrl}/studio`);
  await page.getByLabel('E-mail').fill(email);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('don’t belong together').waitFor();
  await takeRefusal(faults, 401);

  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('A site', { exact: true }).locator('visible=true').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();

  await page.getByRole('button', { name: 'Olive Owner' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to your studio' }).waitFor();
  expect(await page.evaluate(() => Object.keys(sessionStorage).join())).not.toContain('session');

  expect(faults).toEqual([]);
  expect([...hosts]).toEqual([new URL(app.baseUrl).host]);
});

test('until the panel is built its page waits and asks again, with a policy of its own', async () => {
  const studioDir = await mkdtemp(path.join(tmpdir(), 'studio-'));
  await using app = await startApp({ config: { studioDir: path.join(studioDir, 'dist') } });

  const { headers } = await fetch(`${app.baseUrl}/studio/posts`);
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self' 'nonce-/);
  const { page, faults } = await browser.open();
  await page.goto(`${app.baseUrl}/studio`);
  await page.getByRole('heading', { name: 'Your studio is being built' }).waitFor();
  expect(faults).toEqual([]);

  expect(await app.get('/studio/assets/missing.js')).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found' } },
  });
  await rm(studioDir, { recursive: true });
});
