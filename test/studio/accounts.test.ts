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

type Page = Awaited<ReturnType<(typeof browser)['open']>>['page'];

async function enter(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.keyboard.press('Enter');
}

test('signing out asks before it clears unsaved edits in the browser, clears them, and ends the session', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats' });
  const token = await signIn(app, page, `/posts/${id}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Boats at sea');
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const signOut = async () => {
    await page.getByRole('button', { name: 'Olive Owner' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByText('Sign out and lose unsaved changes?').waitFor();
  };
  await signOut();
  await page.waitForFunction(
    () => !document.getAnimations().some(({ playState }) => playState === 'running'),
  );
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await page.evaluate(() => JSON.stringify(localStorage))).toContain('Boats at sea');

  await signOut();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to your studio' }).waitFor();
  await expect.poll(async () => (await app.get('/api/admin/session', { key: token })).status).toBe(401);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in to your studio' }).waitFor();
  const kept = await page.evaluate(() => Object.entries({ ...localStorage, ...sessionStorage }));
  expect(kept.filter(([name]) => name !== 'mantine-color-scheme-value')).toEqual([]);
  await context.close();
});

test('edits of one owner are neither shown to the next one nor saved on their site, and are kept for their author', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const [ada, grace] = [await app.seed.owner(), await app.seed.owner(await app.seed.site())];
  const token = await signIn(app, page, '/posts/new', ada);
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.waitFor();
  await app.delete('/api/admin/session', { key: token });
  await title.fill('Of Ada alone');
  await page.getByText('Your session has ended').waitFor();
  await page.getByText('Sign in as someone else').click();
  await page.getByRole('heading', { name: 'Sign in to your studio' }).waitFor();

  await enter(page, grace);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: 'Posts' }).click();
  await page.getByRole('link', { name: 'New post' }).first().click();
  await title.fill('Of Grace');
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  const ofGrace = (await app.post('/api/admin/session', { body: grace })).body as { token: string };
  const { posts } = ownerClient(app.baseUrl, ofGrace.token).studio;
  expect((await posts.list.query({})).items).toMatchObject([{ title: 'Of Grace' }]);
  await page.getByRole('button', { name: 'Olive Owner' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();

  await enter(page, ada);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(`${app.baseUrl}/studio/posts/new`);
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  expect(await title.inputValue()).toBe('Of Ada alone');
  await context.close();
});
