import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('a post becomes a draft when it has a title, is saved while typing, and changes for readers only on request', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read'] });
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const studio = ownerClient(app.baseUrl, token).studio.posts;
  const list = () => studio.list.query({});
  const read = () => app.get('/api/v1/posts/a-boat-in-winter', { key });

  await page.getByRole('heading', { name: 'No posts yet' }).waitFor();
  await page.getByRole('link', { name: 'New post' }).first().click();
  await page.getByRole('textbox', { name: 'Title' }).fill('A boat in winter');
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  const body = page.getByRole('textbox', { name: 'Content' });
  await body.click();
  await page.keyboard.type('She sails ');
  await page.keyboard.press('Control+b');
  await page.keyboard.type('slowly');
  await page.getByText('3 words').waitFor();
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await page.getByText('Preview', { exact: true }).click();
  await page.frameLocator('iframe').locator('strong', { hasText: 'slowly' }).waitFor();
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Write').click();
  expect((await list()).items).toMatchObject([
    { title: 'A boat in winter', slug: 'a-boat-in-winter', content: 'She sails **slowly**', is_draft: true },
  ]);
  expect(await read()).toMatchObject({ status: 404 });

  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByLabel('Tags').first().pressSequentially('sea,winter,');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('“A boat in winter” published').waitFor();
  expect(await read()).toMatchObject({ status: 200, body: { tags: ['sea', 'winter'] } });

  await page.getByRole('textbox', { name: 'Title' }).fill('A boat in spring');
  await page.getByText('Unpublished changes').waitFor();
  await page.reload();
  await page.getByText(/These are your unpublished changes from just now/).waitFor();
  expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('A boat in spring');
  expect(await read()).toMatchObject({ body: { title: 'A boat in winter' } });

  await page.getByRole('textbox', { name: 'Address' }).fill('Not a slug');
  await page.getByRole('button', { name: 'Update' }).click();
  await page.getByText('single hyphens between them').waitFor();
  await studio.create.mutate({ title: 'Taken' });
  await page.getByRole('textbox', { name: 'Address' }).fill('taken');
  await page.getByRole('button', { name: 'Update' }).click();
  await page.getByText('already in use').waitFor();
  await takeRefusal(faults, 400);
  await page.getByRole('textbox', { name: 'Address' }).fill('a-boat-in-winter');
  await page.keyboard.press('Control+s');
  await page.getByText('“A boat in spring” updated').waitFor();
  expect(await read()).toMatchObject({ body: { title: 'A boat in spring' } });

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Unpublish' }).click();
  await page.getByText(/” unpublished/).waitFor();
  expect(await read()).toMatchObject({ status: 404 });
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page
    .getByText(/” published/)
    .last()
    .waitFor();
  await expect.poll(async () => (await read()).status).toBe(200);

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('“A boat in spring” deleted').waitFor();
  expect((await list()).total).toBe(1);
  expect(faults).toEqual([]);
});

test('an ended session asks for the password over the screen, and the edits are saved with the new session', async () => {
  await using app = await startApp();
  const { page } = await browser.open();
  const { email, password } = await app.seed.owner();
  const token = await signIn(app, page, '/posts/new', { email, password });
  await page.getByRole('textbox', { name: 'Title' }).waitFor();
  await app.delete('/api/admin/session', { key: token });

  await page.getByRole('textbox', { name: 'Title' }).fill('Typed before the end');
  await page.getByText('Your session has ended').waitFor();
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);

  const owner = ownerClient(app.baseUrl, await app.seed.ownerToken());
  expect((await owner.studio.posts.list.query({})).items).toMatchObject([{ title: 'Typed before the end' }]);
});

test('a post can be written, published and opened from its list by keyboard alone', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const jump = async (words: string) => {
    const search = page.getByPlaceholder('Search or jump to…');
    await page.keyboard.press('Control+k');
    await withFocus(search);
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
    await search.waitFor({ state: 'hidden' });
  };
  /** Keys pressed before the focus would go to another element. */
  const withFocus = (locator: Locator) => locator.and(page.locator(':focus')).waitFor();
  /** Presses a key until the element with this name has the focus. */
  const reach = async (key: 'Tab' | 'Shift+Tab', name: string) => {
    for (let steps = 0; steps < 40; steps++) {
      await page.keyboard.press(key);
      // Between the last and the first element the focus is in the browser’s own controls.
      const [focused = ''] = await page.locator(':focus').allTextContents();
      if (focused.includes(name)) return;
    }
    throw new Error(`no ${name} within reach`);
  };

  await jump('New post');
  await withFocus(page.getByRole('textbox', { name: 'Title' }));
  await page.keyboard.type('Without a mouse');
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  await reach('Shift+Tab', 'Publish');
  await page.keyboard.press('Enter');
  await page.getByText('“Without a mouse” published').waitFor();

  await jump('Posts');
  await page.getByRole('link', { name: 'Without a mouse' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await reach('Tab', 'Unpublish');
  await page.keyboard.press('Enter');
  await page.getByText('1 unpublished').waitFor();
  expect(faults).toEqual([]);
});

test('links to the site use its own domain, whatever address the studio was opened at', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/');
  const { studio } = ownerClient(app.baseUrl, token);
  const { id } = await studio.posts.create.mutate({ title: 'A boat' });
  await studio.site.update.mutate({ custom_domain: 'ada.example.com' });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const link = (name: string, address: string) =>
    page.getByRole('link', { name, exact: true }).and(page.locator(`[href="${address}"]`));
  await link('View your site', 'http://ada.example.com/').waitFor();
  await link('View on your site', 'http://ada.example.com/posts/a-boat').waitFor();
  expect(faults).toEqual([]);
});
