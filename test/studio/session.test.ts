import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtStudio } from '../../server/start/compose.ts';
import { startApp } from '../support/app.ts';
import { launchChromium } from '../support/browser.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('the built studio is readable for other users, since the service runs as its own user', async () => {
  const { mode } = await stat(builtStudio);
  expect((mode & 0o777).toString(8)).toBe((0o777 & ~process.umask()).toString(8));
});

test('the studio asks for the password, keeps the session after a reload, and ends it on sign-out', async () => {
  await using app = await startApp();
  const { email, password } = await app.seed.owner();
  const { page, faults, hosts } = await browser.open();

  await page.goto(`${app.baseUrl}/studio`);
  await page.getByLabel('Email').fill(email);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Wrong email address or password').waitFor();
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

test('after too many attempts to sign in, the waiting time is shown immediately, and signing in works afterwards', async () => {
  await using app = await startApp({ limits: {} });
  const { email, password } = await app.seed.owner();
  const { page, faults } = await browser.open();
  await page.goto(`${app.baseUrl}/studio`);
  await page.getByLabel('Email').fill(email);
  const field = page.getByRole('textbox', { name: 'Password' });
  const press = async (status: number) => {
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await takeRefusal(faults, status);
  };
  await field.fill('not the password');
  for (let n = 0; n < 3; n++) await press(401);
  await press(429);
  await page.getByRole('alert').filter({ hasText: 'Try again in 12 seconds' }).waitFor();
  app.clock.advance({ seconds: 12 });
  await field.fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(faults).toEqual([]);
});

test('until the studio is built, its page waits and checks again, with its own content security policy', async () => {
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

test('after signing out, Back shows nothing of the studio, even with a back/forward cache', async () => {
  await using app = await startApp();
  await using keeping = await launchChromium([], { keepsPages: true });
  const page = await keeping.newPage();
  await signIn(app, page, '/posts');
  await page.getByRole('heading', { name: 'No posts yet' }).waitFor();
  await page.goto(`${app.baseUrl}/studio/talks`);
  await page.getByRole('heading', { name: 'No talks yet' }).waitFor();
  await page.getByRole('link', { name: 'Pages' }).click();
  await page.getByRole('heading', { name: 'No pages yet' }).waitFor();
  await page.getByRole('button', { name: 'Olive Owner' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to your studio' }).waitFor();
  for (let steps = 0; steps < 2; steps++) {
    await page.goBack();
    await page.getByRole('heading', { name: 'Sign in to your studio' }).waitFor();
    expect(await page.getByText('Olive Owner').count()).toBe(0);
  }
});

test('a page from the back/forward cache is shown only to the session that left it', async () => {
  await using app = await startApp();
  const { page } = await browser.open();
  await signIn(app, page, '/posts');
  const heading = page.getByRole('heading', { name: 'No posts yet' });
  await heading.waitFor();
  const pass = (event: 'pagehide' | 'pageshow') =>
    page.evaluate((name) => {
      window.dispatchEvent(new PageTransitionEvent(name, { persisted: true }));
    }, event);
  await pass('pagehide');
  await heading.waitFor({ state: 'hidden' });
  await pass('pageshow');
  await heading.waitFor();

  await pass('pagehide');
  await page.evaluate(() => sessionStorage.clear());
  await pass('pageshow');
  await page.getByRole('heading', { name: 'Sign in to your studio' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/studio');
});
